"""Draws how much faster than PyTorch each operator is, quiet and in place, from the benchmark's own table of rows."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable
from pathlib import Path

from svg import COLOURS, INK, SOFT_INK, Colour, Drawing

ROWS = Path(__file__).parent.parent / "benchmarks" / "results" / "grid.csv"
REGIMES: dict[str, tuple[tuple[str, ...], Colour]] = {
    "quiet": (("output_reused", "both_allocate"), COLOURS[0]),
    "in place": (("in_place",), COLOURS[1]),
}
WIDTH, MARGIN, TOP, BLOCK, BAR = 390, 18, 98, 52, 13  # as wide as a telephone
LABEL = 44  # behind a bar


def geometric_mean(values: Iterable[float]) -> float:
    logarithms = [math.log(value) for value in values]
    return math.exp(sum(logarithms) / len(logarithms)) if logarithms else 0.0


def means(rows: Iterable[dict[str, str]]) -> dict[str, dict[str, float]]:
    """By operator and regime: times PyTorch, over all rows that were compared."""
    ratios: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        found = ratios.setdefault(row["operator"], {regime: [] for regime in REGIMES})
        for regime, (columns, _) in REGIMES.items():
            found[regime] += [float(row[column]) for column in columns if row[column]]
    return {
        operator: {regime: geometric_mean(values) for regime, values in found.items()}
        for operator, found in ratios.items()
    }


def times_pytorch() -> str:
    with ROWS.open(encoding="utf-8", newline="") as file:
        by_operator = means(csv.DictReader(file))
    drawing = Drawing(WIDTH, TOP + BLOCK * len(by_operator) + MARGIN, "Times PyTorch by operator, quiet and in place")
    drawing.text(MARGIN, 30, "Times PyTorch, by operator", size=16, bold=True)
    for place, (regime, (_, colour)) in enumerate(REGIMES.items()):
        x = MARGIN + place * 150
        drawing.cell(x, 44, BAR, BAR, colour)
        drawing.text(x + BAR + 6, 55, f"{regime}, mean of rows", size=12, colour=SOFT_INK)
    longest = max((value for found in by_operator.values() for value in found.values()), default=1.0)
    unit = (WIDTH - 2 * MARGIN - LABEL) / longest
    same = MARGIN + unit
    for number, (operator, found) in enumerate(by_operator.items()):
        y = TOP + number * BLOCK
        drawing.text(MARGIN, y, operator, size=12.5)
        for place, (regime, (_, colour)) in enumerate(REGIMES.items()):
            value, top = found[regime], y + 6 + place * (BAR + 2)
            drawing.cell(MARGIN, top, value * unit, BAR, colour)
            drawing.text(MARGIN + value * unit + 6, top + 11, f"{value:.1f}x" if value else "not compared", size=11.5)
        drawing.add("line", x1=same, y1=y + 4, x2=same, y2=y + 36, stroke=INK, stroke_width=1, stroke_dasharray="3 3")
    drawing.text(same + 4, 74, "dashed: as fast as PyTorch", size=11, colour=SOFT_INK)
    return drawing.render()
