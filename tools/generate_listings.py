"""Write parts of the examples into the pages that show them, so that pages can be read where nothing renders them.

    python tools/generate_listings.py            writes the code below each comment such as
                                                 <!-- listing: examples/cpp/two_phases.cpp check -->
    python tools/generate_listings.py --check    only says which pages would change; status 1 if any

The word after the file is a part between ``[check]`` and ``[/check]``, or a Python function. ``from TEXT`` stands for
everything from the first line that begins with the text. The tests run the examples, not the code on the pages.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from pathlib import Path

from declarations import ROOT
from generated_files import run

MARK = "<!-- listing: "
LISTING = re.compile(rf"({MARK}(?P<file>\S+) (?P<part>[^\n]+?) -->\n)```[^\n]*\n.*?\n```\n", re.DOTALL)
LANGUAGES = {".py": "py", ".cpp": "cpp"}


def function_in(text: str, name: str) -> str:
    """With its decorators, without what stands behind it."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            first = min(part.lineno for part in (node, *node.decorator_list))
            return "\n".join(text.splitlines()[first - 1 : node.end_lineno])
    raise ValueError(f"no part and no function is called {name}")


def part_of(path: Path, part: str) -> str:
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    if part.startswith("from "):
        first = next(number for number, line in enumerate(lines) if line.startswith(part.removeprefix("from ")))
        return "\n".join(lines[first:])
    marks = [number for number, line in enumerate(lines) if line.strip("/# ") in (f"[{part}]", f"[/{part}]")]
    if not marks:
        return function_in(text, part)
    first, last = marks
    return textwrap.dedent("\n".join(lines[first + 1 : last]).strip("\n"))


def with_listings(text: str) -> str:
    def listing(found: re.Match[str]) -> str:
        path = ROOT / found["file"]
        return f"{found[1]}```{LANGUAGES[path.suffix]}\n{part_of(path, found['part'])}\n```\n"

    return LISTING.sub(listing, text)


def main() -> int:
    pages = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").rglob("*.md"))}
    expected = {path: with_listings(text) for path, text in pages.items() if MARK in text}
    return run("Write parts of the examples into the pages that show them.", expected, MARK)


if __name__ == "__main__":
    sys.exit(main())
