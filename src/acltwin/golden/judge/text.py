"""Verdicts in words."""

from __future__ import annotations

from acltwin.golden.judge.verdict import Cell, Sources, Verdict

SHOWN = 4


def verdict_text(verdict: Verdict) -> str:
    """The case, the census, and the first cells with their sources."""
    head = f"{verdict.operator}  {verdict.case}: {verdict.status} by {verdict.rule}".strip()
    if verdict.problem:
        return f"{head}\n  {verdict.problem}"
    lines = [head, f"  {census_text(verdict)}"]
    if verdict.detail:
        lines.append(f"  {verdict.detail}")
    lines += [f"  {cell_text(cell)}" for cell in verdict.worst[:SHOWN]]
    lines += [f"  {sources_text(found)}" for found in verdict.sources[:SHOWN]]
    lines += [f"  warning: {warning}" for warning in verdict.warnings]
    return "\n".join(lines)


def census_text(verdict: Verdict) -> str:
    census = verdict.census
    parts = [f"{census.wrong} of {census.cells} cells wrong", f"{census.not_judged} not judged"]
    parts += [f"NaN {census.nan_found} (expected {census.nan_expected})"]
    parts += [f"inf {census.inf_found} (expected {census.inf_expected})"]
    if census.wrong:
        parts.append(f"largest error {census.largest_error:g} ({census.largest_ulps:.3g} ulp)")
    return ", ".join(parts)


def cell_text(cell: Cell) -> str:
    wanted = f"{cell.low:g}" if cell.low == cell.high else f"{cell.low:g} to {cell.high:g}"
    kind = "index" if cell.result else "cell"
    return f"{kind} {place(cell.index)}  expected {wanted}, found {cell.found:g}"


def sources_text(sources: Sources) -> str:
    head = f"cell {place(sources.cell)} of plane {place(sources.plane)}"
    if sources.is_copy:
        return f"{head}  {_copy_text(sources)}"
    lost = [place(source.index) for source in sources.wrong if source.error < 0]
    extra = [place(source.index) for source in sources.wrong if source.error > 0]
    words = [f"lost {', '.join(lost)}" if lost else "", f"extra {', '.join(extra)}" if extra else ""]
    found = sources.terms + sum(source.error for source in sources.wrong)
    return f"{head}  expected {sources.terms} sources, found {found}: {'; '.join(word for word in words if word)}"


def _copy_text(sources: Sources) -> str:
    """Of a selection: which cell was meant, and which came."""
    asked = [place(source.index) for source in sources.wrong if source.error < 0]
    came = [place(source.index) for source in sources.wrong if source.error > 0]
    return f"expected {asked[0] if asked else 'nothing'}, found {came[0] if came else 'nothing'}"


def place(index: tuple[int, ...]) -> str:
    return f"({','.join(map(str, index))})"
