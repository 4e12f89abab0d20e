"""The vendors' files of cases: a format is a ``Format`` in one of the modules here; nothing lists them.

A format that is read turns a file into cases; one that is written turns cases into a file. What a vendor's file says of
one call is a ``calls.Call``; the cases that come of it have the file's data, ours, or both.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

from acltwin.golden.cases.case import Case
from acltwin.golden.cases.cases import MAX_BYTES

Data = Literal["ours", "file", "both"]
DATA: tuple[Data, ...] = ("ours", "file", "both")


@dataclass(frozen=True)
class Options:
    """How a file is read. ``notes`` collects what the reader should know: cases that were left out, and why."""

    data: Data = "ours"
    seed: int = 0
    map_rule: str = "device"
    max_bytes: int = MAX_BYTES
    fills: tuple[str, ...] = ()
    sheet: str = ""
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Written:
    """How many entries a file has, and which cases it cannot say, with the reason."""

    entries: int
    left_out: tuple[tuple[str, str], ...] = ()
    bytes: int = 0  # of the tensors, where the format holds them


@dataclass(frozen=True)
class Format:
    name: str  # of --format
    what: str
    suffixes: tuple[str, ...] = ()  # of the files that it reads; none: a directory
    read: Callable[[Path, Options], list[Case]] | None = None
    write: Callable[[Sequence[Case], Path], Written] | None = None
    recognises: Callable[[Path], bool] | None = None  # of a directory


@cache
def formats() -> Mapping[str, Format]:
    found = {}
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        for described in vars(importlib.import_module(module.name)).values():
            if isinstance(described, Format):
                found[described.name] = described
    return found


def writers() -> tuple[str, ...]:
    """What ``--format`` takes beside the formats of single tensors."""
    return tuple(name for name, described in formats().items() if described.write)


def reader(path: Path) -> Format:
    """The format that a file or a directory is of; ValueError, with what can be read, if there is none."""
    for described in formats().values():
        if described.read is None:
            continue
        if path.is_dir() and described.recognises and described.recognises(path):
            return described
        if not path.is_dir() and path.suffix in described.suffixes:
            return described
    known = "; ".join(f"{'/'.join(f.suffixes) or 'a directory'}: {f.what}" for f in formats().values() if f.read)
    raise ValueError(f"{path} is of no known format; expected {known}")


def read(path: Path | str, options: Options | None = None) -> list[Case]:
    """The cases of a vendor's file; ValueError, with the place in the file, for anything that does not fit."""
    place = Path(path)
    described = reader(place)
    assert described.read is not None
    return described.read(place, options or Options())


def write(cases: Sequence[Case], path: Path | str, format_name: str) -> Written:
    described = formats().get(format_name)
    if described is None or described.write is None:
        raise ValueError(f"no format is called {format_name!r}; expected one of {', '.join(writers())}")
    return described.write(cases, Path(path))
