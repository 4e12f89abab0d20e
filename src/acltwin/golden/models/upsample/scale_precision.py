"""The scale or a position is computed in another precision, or by another formula."""

from __future__ import annotations

from acltwin.golden.models.model import Model, Page
from acltwin.golden.models.steps import Step, models_from
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="A few cells of a few sizes are wrong, each by one source: those where a position falls on a border.",
    arises="Mathematically `o / s`, `o * (1 / s)` and `o * in / out` are the same. In floating point they differ where "
    "the result is an integer, and there a cell gets another source.",
    wrong="src = floor(o / scale)           # or float64, or a fused multiply-add",
    right="step = float32(in) / float32(out); src = floor(float32(o) * step)",
    fix="Compute in float32, in the documented order, rounding after every operation; test with the sizes of the "
    "failing cases.",
)
NARROW = ("float16", "bfloat16")


def models(spec: OpSpec) -> tuple[Model, ...]:
    documented = "float32 throughout"
    steps = [
        Step(
            "float64 scale",
            "the scale is computed in float64 instead of float32",
            {"precision": "float64", "places": "float64"},
            documented,
            "float64",
        ),
        Step(
            "float64 scale, reciprocal",
            "the scale is computed in float64 as a reciprocal",
            {"precision": "float64", "places": "float64", "through_reciprocal": True},
            documented,
            "1 / scale in float64",
            cost=1.05,
        ),
        Step(
            "float64 positions",
            "the scale is rounded to float32, but multiplied in float64",
            {"places": "float64"},
            documented,
            "float64 products",
            cost=1.05,
        ),
        *(
            Step(f"{name} scale", f"the scale is rounded to {name}", {"precision": name}, documented, name)
            for name in NARROW
        ),
        *(
            Step(
                f"{name} positions",
                f"positions are computed in {name}",
                {"precision": name, "places": name},
                documented,
                f"{name} throughout",
                cost=1.05,
            )
            for name in NARROW
        ),
        Step(
            "reciprocal of the reciprocal",
            "the scale is the rounded reciprocal of another rounded number",
            {"through_reciprocal": True},
            "in / out, rounded once",
            "1 / (out / in), rounded twice",
        ),
        Step(
            "integer arithmetic",
            "positions are computed with integers, which do not round",
            {"formula": "integers"},
            "float32 products",
            "o * in // out",
        ),
    ]
    if spec.is_exact and spec.is_gradient:
        steps.append(
            Step(
                "fused multiply-add",
                "product and subtraction are one fused operation, which rounds once instead of twice",
                {"fused": True},
                "float32(float32(i*s) - 0.5)",
                "float32(i*s - 0.5)",
            )
        )
    if not spec.is_gradient:
        steps.append(_quotient(1.0))
        if spec.is_exact:
            steps.append(
                Step(
                    "half distributed",
                    "the half is scaled on its own and added",
                    {"formula": "distributed"},
                    "(o + 0.5)*t",
                    "o*t + 0.5*t",
                )
            )
    else:
        steps.append(_quotient(1.1, form="source"))
    return models_from(spec, steps)


def _quotient(cost: float, **change: str) -> Step:
    return Step(
        "quotient", "a position is divided by the scale", {"formula": "quotient", **change}, "o * t", "o / s", cost=cost
    )
