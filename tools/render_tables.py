"""The tables of operators in the README and on the documentation's page of operators."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acltwin.ops.spec import OpSpec

_INTERFACES = re.compile(r"(<!-- interfaces: [^\n]*-->\n).*?(<!-- end -->\n)", re.DOTALL)
_MARKED = re.compile(r"(<!-- operators: [^\n]*-->\n).*?(<!-- end -->\n)", re.DOTALL)


def _replaced(page: Path, operators: list[OpSpec], link: Callable[[str], str]) -> str:
    """The page with the table of pairs between its two marks."""
    pairs = [spec for spec in operators if not spec.is_gradient and not spec.c_only]
    rows = [
        f"| {spec.summary.partition(':')[0]} | {link(spec.name)} | {link(spec.partner) if spec.partner else ''} |\n"
        for spec in pairs
    ]
    table = "".join(["| | forward | gradient |\n", "|---|---|---|\n", *rows])
    return _MARKED.sub(lambda found: found.group(1) + table + found.group(2), page.read_text())


def readme(operators: list[OpSpec], page: Path) -> str:
    return _replaced(page, operators, lambda name: f"[`{name}`](docs/operators/{name}.md)")


def index(operators: list[OpSpec], page: Path) -> str:
    """With the C interfaces that have no array function of their own."""
    rows = [
        f"| [`{spec.c_name}`]({spec.name}.md) | {f'[]({spec.alike}.md)' if spec.alike else 'C only'} |\n"
        for spec in operators
        if spec.c_only
    ]
    table = "".join(["| C | computes the same as |\n", "|---|---|\n", *rows])
    text = _replaced(page, operators, lambda name: f"[]({name}.md)")
    return _INTERFACES.sub(lambda found: found.group(1) + table + found.group(2), text)
