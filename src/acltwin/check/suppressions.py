"""Findings that the user knows and does not want to see, one per line: ``FINDING-ID [function=GLOB] [file=GLOB]``."""

from __future__ import annotations

import fnmatch
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acltwin.check.findings import FINDINGS
from acltwin.check.program import ProgramError
from acltwin.check.symbols import Frame


@dataclass(frozen=True)
class Suppression:
    """A function and a file must be those of one frame. A file is known by its path or by its name."""

    id: str  # may end in .*
    function: str = "*"
    file: str = "*"

    def has_id(self, name: str) -> bool:
        return name.startswith(self.id[:-1]) if self.id.endswith(".*") else name == self.id

    def matches(self, finding: dict[str, Any], frames: Iterable[Frame]) -> bool:
        if not self.has_id(finding["id"]):
            return False
        return self.function == self.file == "*" or any(map(self._has_frame, frames))

    def _has_frame(self, frame: Frame) -> bool:
        function, file = frame.get("function", ""), frame.get("file", "")
        return fnmatch.fnmatchcase(function, self.function) and any(
            fnmatch.fnmatchcase(name, self.file) for name in (file, file.rpartition("/")[2])
        )


def read(path: str | None) -> list[Suppression]:
    """The lines of a file; none if there is no file."""
    if path is None:
        return []
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ProgramError(f"--suppress '{path}' cannot be read: {error.strerror}") from None
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            found += parsed(line)
        except ValueError as error:
            print(f"acltwin check: --suppress '{path}', line {number}: {error}; correct that line", file=sys.stderr)
    return found


def parsed(line: str) -> list[Suppression]:
    """The suppression of a line, or none if it is empty or a comment; ``ValueError`` for anything else."""
    words = line.partition("#")[0].split()
    if not words:
        return []
    name, *conditions = words
    if not any(map(Suppression(name).has_id, FINDINGS)):
        raise ValueError(f"no finding is called '{name}'")
    globs = {}
    for word in conditions:
        key, _, glob = word.partition("=")
        if key not in ("function", "file") or not glob:
            raise ValueError(f"'{word}' is neither function=GLOB nor file=GLOB")
        globs[key] = glob
    return [Suppression(name, **globs)]
