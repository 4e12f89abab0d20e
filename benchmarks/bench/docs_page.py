"""Puts a report's tables into a page of the documentation, between two marker lines."""

from __future__ import annotations

from pathlib import Path

BEGIN = "<!-- benchmark tables: written by `python -m bench --write-docs` -->"
END = "<!-- end of benchmark tables -->"


def replace_tables(page: Path, tables: str) -> None:
    text = page.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(
            f"{page} has no place for the tables: expected the lines\n  {BEGIN}\n  {END}\n"
            "in that order; add them where the tables belong"
        )
    page.write_text(f"{before}{BEGIN}\n\n{tables.strip()}\n\n{END}{after}", encoding="utf-8")
