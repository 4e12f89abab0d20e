"""Places are rounded the wrong way."""

from __future__ import annotations

from acltwin.golden.models.model import Model, Page
from acltwin.golden.models.steps import Step, models_from
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Integer factors pass; with fractional ones the sources of many cells are one off.",
    arises="A conversion from float to integer has a rounding mode of its own, and its default is seldom the "
    "documented one.",
    wrong="begin = int(i * scale)          # cuts off",
    right="begin = ceil(i * scale)",
    fix="Name the rounding mode in the conversion, and test with sizes such as 4 -> 7.",
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    documented = "ceil" if spec.is_gradient else "floor"
    steps = [
        Step(
            f"places {words}",
            f"places are {words} where the document has {documented}",
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
