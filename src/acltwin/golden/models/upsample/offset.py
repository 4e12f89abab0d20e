"""Another offset than the documented one is added to positions."""

from __future__ import annotations

from acltwin.golden.models.model import Model, Page
from acltwin.golden.models.steps import Step, models_from
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Sources are shifted by up to one cell, in most cells of most sizes.",
    arises="One formula adds half a cell before scaling, another one after it; linear interpolation subtracts half a "
    "cell again, nearest does not.",
    wrong="src = floor((o + 0.5) * step - 0.5)",
    right="src = floor((o + 0.5) * step)",
    fix="Compare the code with the documented formula, term by term.",
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    documented = (-0.5 if spec.is_gradient else 0.5) if spec.is_exact else 0.0
    confused = 0.0 if spec.is_exact else -0.5 if spec.is_gradient else 0.5  # another cause
    steps = [
        Step(
            f"offset {offset:+g}",
            f"positions are shifted by {offset:+g}",
            {"offset": offset},
            documented=f"offset {documented:+g}",
            observed=f"offset {offset:+g}",
            cost=1.2,
            along_some=False,
        )
        for offset in (-1.0, -0.5, -0.25, 0.25, 0.5, 1.0)
        if offset not in (documented, confused)
    ]
    steps += [
        Step(
            f"offset {after:+g} after scaling",
            f"{after:+g} is added after scaling",
            {"after": after, **({"form": "source"} if spec.is_gradient else {})},
            documented="src(o) = floor((o + 0.5)*t)" if spec.is_exact else "src(o) = floor(o*t)",
            observed=f"src(o) = floor((o + 0.5)*t {after:+g})" if spec.is_exact else f"src(o) = floor(o*t {after:+g})",
            cost=1.1,
            along_some=False,
        )
        for after in (-1.0, -0.5, 0.5, 1.0)
    ]
    return models_from(spec, steps)
