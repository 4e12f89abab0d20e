"""Nearest and nearest-exact are confused."""

from __future__ import annotations

from acltwin.golden.models.model import Model, Page
from acltwin.golden.models.steps import Step, models_from
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Integer factors pass, fractional ones fail: sources near the border of an interval are added to its "
    "neighbour.",
    arises="The two operators differ by half a cell, which a test with factor 2 cannot show.",
    wrong="begin = ceil(i * scale)",
    right="begin = ceil(i * scale - 0.5)  # nearest-exact; plain nearest has no half",
    fix="Use the index rule of the requested operator, and test with sizes such as 4 -> 7.",
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    intervals = {True: "b(i) = ceil(i*s - 0.5)", False: "b(i) = ceil(i*s)"}
    sources = {True: "src(o) = floor((o + 0.5)*t)", False: "src(o) = floor(o*t)"}
    formulas = intervals if spec.is_gradient else sources
    step = Step(
        "plain nearest" if spec.is_exact else "nearest-exact",
        "nearest and nearest-exact are confused",
        {"exact": not spec.is_exact},
        documented=formulas[spec.is_exact],
        observed=formulas[not spec.is_exact],
        note="both agree for integer factors" if spec.is_gradient else "",
    )
    return models_from(spec, [step])
