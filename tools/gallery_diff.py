"""C++ programs of the gallery as the difference between wrong and right, for the documentation.

The programs mark what belongs to one of them alone: ``if (fixed) X;`` and ``if (!fixed) X;``, and ``fixed ? a : b``.
"""

from __future__ import annotations

import re
from pathlib import Path

ALONE = re.compile(r"( *)if \((!?)fixed\) (.+)")
CHOICE = re.compile(r"fixed \? ([^:;]+) : ([^;,]+?)(?=[;,]|\)[;,)])")


def as_diff(source: Path, name: str) -> list[str]:
    """The lines of a program; those with "- " are of the wrong one, those with "+ " of the right one."""
    body = source.read_text(encoding="utf-8").partition(f"PROGRAM({name}) {{\n")[2].partition("\n}\n")[0]
    shown: list[str] = []
    mark = " "  # of the statement that goes on
    for line in (line[4:] for line in body.splitlines()):
        alone = ALONE.fullmatch(line)
        if alone is not None:
            mark, line = "-" if alone[2] else "+", alone[1] + alone[3]
        shown += _chosen(line) if mark == " " else [f"{mark} {line}"]
        if line.endswith(";"):
            mark = " "
    return shown


def _chosen(line: str) -> list[str]:
    if CHOICE.search(line) is None:
        return [f"  {line}".rstrip()]
    return [f"- {CHOICE.sub(lambda found: found[2], line)}", f"+ {CHOICE.sub(lambda found: found[1], line)}"]
