"""Puts a report's tables into pages of the documentation, between marker lines: all of them, or a summary."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

PARTS = ("summary", "tables")


def markers(part: str) -> tuple[str, str]:
    """The lines before and behind a part's place."""
    return f"<!-- benchmark {part}: written by `python -m bench --write-docs` -->", f"<!-- end of benchmark {part} -->"


def replace_parts(page: Path, parts: Mapping[str, str]) -> None:
    """Every part that the page has a place for."""
    text = page.read_text(encoding="utf-8")
    found = False
    for part, content in parts.items():
        begin, end = markers(part)
        before, has_begin, rest = text.partition(begin)
        _, has_end, after = rest.partition(end)
        if has_begin and has_end:
            text, found = f"{before}{begin}\n\n{content.strip()}\n\n{end}{after}", True
    if not found:
        places = "\nor\n".join(f"  {begin}\n  {end}" for begin, end in map(markers, parts))
        raise ValueError(
            f"{page} has no place for the tables: expected the lines\n{places}\n"
            "in that order; add them where the tables belong"
        )
    page.write_text(text, encoding="utf-8")
