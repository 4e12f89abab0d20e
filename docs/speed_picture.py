"""Draws how much faster than PyTorch each kind of operator is, from the benchmark's own table of rows."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable
from pathlib import Path

from svg import COLOURS, INK, SOFT_INK, Colour, Drawing

from acltwin.ops import OPERATORS

ROWS = Path(__file__).parent.parent / "benchmarks" / "results" / "random.csv"
REGIMES: dict[str, tuple[tuple[str, ...], Colour]] = {
    "quiet": (("output_reused", "both_allocate"), COLOURS[0]),
    "in place": (("in_place",), COLOURS[1]),
}
WORDS = {"quiet": "repeated calls", "in place": "between other PyTorch operators, as in training"}
KINDS = {
    "adaptive_pool": "adaptive max pooling",
    "average": "average pooling",
    "linear": "linear, cubic upsampling",
    "plain_pool": "max pooling, values only",
    "pool": "max pooling",
    "unpool": "max unpooling",
    "upsample": "nearest upsampling",
}
WIDTH, MARGIN, TOP, BLOCK, BAR = 620, 18, 84, 38, 13
NAMES, LABEL = 236, 44  # beside the bars, behind a bar


def geometric_mean(values: Iterable[float]) -> float:
    logarithms = [math.log(value) for value in values]
    return math.exp(sum(logarithms) / len(logarithms)) if logarithms else 0.0


def means(rows: Iterable[dict[str, str]]) -> dict[str, dict[str, float]]:
    """By kind of operator and regime: times PyTorch, over all rows that were compared."""
    ratios: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        spec = OPERATORS[row["operator"]]
        kind = KINDS[spec.family] + (", gradient" if spec.is_gradient else "")
        found = ratios.setdefault(kind, {regime: [] for regime in REGIMES})
        for regime, (columns, _) in REGIMES.items():
            found[regime] += [float(row[column]) for column in columns if row[column]]
    return {
        kind: {regime: geometric_mean(values) for regime, values in found.items()}
        for kind, found in sorted(ratios.items())
    }


def times_pytorch() -> str:
    with ROWS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    by_kind = means(rows)
    drawing = Drawing(WIDTH, TOP + BLOCK * len(by_kind) + MARGIN, "Speed-up over PyTorch on the CPU")
    drawing.text(MARGIN, 30, f"Speed-up over PyTorch: {len(rows):,} random calls, two CPU cores", size=16, bold=True)
    for place, (regime, (_, colour)) in enumerate(REGIMES.items()):
        x = MARGIN + place * 130
        drawing.cell(x, 44, BAR, BAR, colour)
        drawing.text(x + BAR + 6, 55, WORDS[regime], size=12, colour=SOFT_INK)
    longest = max((value for found in by_kind.values() for value in found.values()), default=1.0)
    left = MARGIN + NAMES
    unit = (WIDTH - left - MARGIN - LABEL) / longest
    for number, (kind, found) in enumerate(by_kind.items()):
        y = TOP + number * BLOCK
        drawing.text(MARGIN, y + 15, kind, size=13)
        for place, (regime, (_, colour)) in enumerate(REGIMES.items()):
            value, top = found[regime], y - 3 + place * (BAR + 1)
            drawing.cell(left, top, value * unit, BAR, colour)
            drawing.text(left + value * unit + 6, top + 11, f"{value:.1f}x" if value else "not compared", size=11.5)
    bottom = TOP + BLOCK * len(by_kind)
    same = left + unit
    drawing.add("line", x1=same, y1=TOP - 8, x2=same, y2=bottom, stroke=INK, stroke_width=1, stroke_dasharray="3 3")
    drawing.text(same + 4, TOP - 10, "1x: as fast as PyTorch", size=11, colour=SOFT_INK)
    return drawing.render()
