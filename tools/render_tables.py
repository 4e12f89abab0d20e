"""The tables of operators in the README and on the documentation's page of operators: a row per family."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acltwin.ops.spec import OpSpec


def between(text: str, mark: str, replacement: str) -> str:
    """The text with this between the mark's comment and the next ``<!-- end -->``."""
    pattern = re.compile(rf"(<!-- {mark}: [^\n]*-->\n).*?(<!-- end -->\n)", re.DOTALL)
    return pattern.sub(lambda found: found.group(1) + replacement + found.group(2), text)


def _rows(interfaces: list[OpSpec], pages: Path, folder: str, anchors: bool) -> str:
    families: dict[str, list[OpSpec]] = defaultdict(list)
    for spec in interfaces:
        if spec.c_only or not spec.is_gradient:  # gradients stand behind what they are gradients of
            families[spec.family].append(spec)
    lines = ["| | operators |\n", "|---|---|\n"]
    for family, operators in families.items():
        operators.sort(key=lambda spec: spec.c_only)
        page = f"{folder}{family}.md"
        names = ", ".join(_name(spec, page if anchors else "") for spec in operators)
        lines.append(f"| [{_title(pages / f'{family}.md', family)}]({page}) | {names} |\n")
    return "".join(lines)


def _name(spec: OpSpec, page: str) -> str:
    name = f"[`{spec.title}`]({page}#{spec.title.lower()})" if page else f"`{spec.title}`"
    return name if spec.partner or spec.c_only else f"{name} (no gradient)"


def _title(page: Path, family: str) -> str:
    """The heading of a family's page, or of the one that will be made."""
    return page.read_text().partition("\n")[0].removeprefix("# ") if page.exists() else title_of(family)


def title_of(family: str) -> str:
    return family.replace("_", " ").capitalize()


def readme(interfaces: list[OpSpec], page: Path, pages: Path) -> str:
    operators = [spec for spec in interfaces if not spec.c_only]
    return between(page.read_text(), "operators", _rows(operators, pages, "docs/operators/", anchors=False))


def index(interfaces: list[OpSpec], page: Path) -> str:
    """Also with the C interfaces that have no array function of their own, and which doors lead to each."""
    text = between(page.read_text(), "operators", _rows(interfaces, page.parent, "", anchors=True))
    return between(text, "doors", _doors(interfaces))


def _doors(interfaces: list[OpSpec]) -> str:
    heading = ("C and pyACL", "NumPy, DLPack, PyTorch", "JAX, Dask")
    lines = [f"| {' | '.join(cells)} |\n" for cells in (heading, ("---",) * len(heading))]
    for spec in sorted(interfaces, key=lambda spec: spec.c_name):
        arrays = spec.alike if spec.c_only else spec.name
        known = f"`{arrays}`" if arrays else ""
        page = f"{spec.family}.md#{spec.title.lower()}"
        lines.append(f"| [`{spec.c_name}`]({page}) | {known} | {known if spec.planewise else ''} |\n")
    return f"These are all {len(interfaces)} aclnn interfaces for upsampling and pooling.\n\n{''.join(lines)}"
