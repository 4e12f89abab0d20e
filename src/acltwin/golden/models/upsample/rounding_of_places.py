"""Positions are rounded the wrong way."""

from __future__ import annotations

from acltwin.golden.models.model import Model, Page
from acltwin.golden.models.steps import Step, models_from
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Integer factors pass; with fractional ones, the sources of many cells are off by one.",
    arises="A conversion from float to integer has its own rounding mode, and the default is rarely the documented "
    "one.",
    wrong="begin = int(i * scale)          # truncates",
    right="begin = ceil(i * scale)",
    fix="Use an explicit rounding mode in the conversion, and test with sizes such as 4 -> 7.",
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    documented = "ceil" if spec.is_gradient else "floor"
    steps = [
        Step(
            f"positions {words}",
            f"positions are {words} where the document has {documented}",
            {"rounding": how},
            documented=documented,
            observed=words,
        )
        for how, words in (
            ("floor", "rounded down"),
            ("ceil", "rounded up"),
            ("even", "rounded to nearest"),
            ("away", "rounded half up"),
        )
        if how != documented
    ]
    return models_from(spec, steps)
