"""The findings of a run as one document."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from acltwin._writing import write_text

VERSION = 1


def findings_in(log: Path) -> list[dict[str, Any]]:
    """What the library has written, one finding a line.

    A line that a dying program left unfinished is no finding. At the end of a program those findings come once more
    that it had several times, with their counts.
    """
    if not log.exists():
        return []
    found: dict[str, dict[str, Any]] = {}
    for line in log.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]:
        finding = json.loads(line)
        found[json.dumps({**finding, "count": 0})] = finding
    return list(found.values())


def write(path: Path, program: Sequence[str], status: int, findings: list[dict[str, Any]]) -> None:
    kinds = Counter(finding["kind"] for finding in findings)
    summary = {"findings": len(findings), **dict(sorted(kinds.items()))}
    contents = {"version": VERSION, "program": [*program], "exit": status, "findings": findings, "summary": summary}
    write_text(path, json.dumps(contents, indent=2) + "\n")
