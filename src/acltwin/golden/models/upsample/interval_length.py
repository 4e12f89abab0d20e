"""Intervals have another length than their ends imply."""

from __future__ import annotations

from acltwin.golden.models.model import Model, Page
from acltwin.golden.models.steps import Step, models_from
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Integer factors pass. With others, sources are lost or counted twice, or cells that should be empty are "
    "not.",
    arises="A kernel with a fixed loop count uses the factor as the length of every interval. With a fractional factor "
    "lengths differ, and when sizes shrink some intervals are empty.",
    wrong="for k in range(floor(scale)): total += grad[begin + k]",
    right="for o in range(b(i), b(i + 1)): total += grad[o]",
    fix="Loop from the start of this interval to the start of the next; the two may be equal.",
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    if not spec.is_gradient:
        return ()
    rows = (
        (
            "fixed length, rounded down",
            "every interval has the same length, the factor rounded down",
            "floor",
            "floor(s)",
        ),
        ("fixed length, at least 1", "every interval has the length of the factor, or 1", "floor1", "max(1, floor(s))"),
        ("fixed length, rounded up", "every interval has the same length, the factor rounded up", "ceil", "ceil(s)"),
        ("never empty", "an empty interval takes one cell instead of none", "least1", "max(1, b(i+1) - b(i))"),
        ("last of several lost", "the last cell of every interval that has several is lost", "short", "one less"),
    )
    documented = "b(i+1) - b(i) cells"
    steps = [
        Step(name, text, {"length": length}, documented, observed, "border") for name, text, length, observed in rows
    ]
    steps += [
        Step(
            f"{which} source of an interval",
            f"only the {which} cell of an interval counts",
            {"length": which},
            documented,
            f"its {which} cell",
            "accumulation",
            along_all=False,  # then the cell keeps one of its sources
        )
        for which in ("first", "last")
    ]
    return models_from(spec, steps)
