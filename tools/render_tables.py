"""The tables of operators in the README and on the documentation's page of operators."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acltwin.ops.spec import OpSpec

_MARKED = re.compile(r"(<!-- operators: [^\n]*-->\n).*?(<!-- end -->\n)", re.DOTALL)


def _replaced(page: Path, operators: list[OpSpec], link: Callable[[str], str]) -> str:
    """The page with the table of pairs between its two marks."""
    partners = {spec.name: spec.partner for spec in operators if not spec.is_gradient}
    titles = {spec.name: spec.summary.partition(":")[0] for spec in operators}
    rows = [f"| {titles[name]} | {link(name)} | {link(partner)} |\n" for name, partner in partners.items()]
    table = "".join(["| | forward | gradient |\n", "|---|---|---|\n", *rows])
    return _MARKED.sub(lambda found: found.group(1) + table + found.group(2), page.read_text())


def readme(operators: list[OpSpec], page: Path) -> str:
    return _replaced(page, operators, lambda name: f"[`{name}`](docs/operators/{name}.md)")


def index(operators: list[OpSpec], page: Path) -> str:
    return _replaced(page, operators, lambda name: f"[]({name}.md)")
