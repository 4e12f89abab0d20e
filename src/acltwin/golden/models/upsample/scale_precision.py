"""The scale, or its product, is computed in another precision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from acltwin.golden.models.index_rule import IndexRule
from acltwin.golden.models.model import Model
from acltwin.ops.spec import OpSpec


def models(spec: OpSpec) -> tuple[Model, ...]:
    steps = (
        ("float64 scale", "float64", "the scale is computed in float64 instead of float32"),
        ("float16 scale", "float16", "the scale is rounded to float16"),
        ("bfloat16 scale", "bfloat16", "the scale is rounded to bfloat16"),
    )
    found = [
        Model(
            name,
            "index rule",
            sentence,
            deviate=_with(precision),
            documented="float32(out) / float32(in)",
            observed=precision,
        )
        for name, precision, sentence in steps
    ]
    found.append(
        Model(
            "reciprocal of the reciprocal",
            "index rule",
            "the scale is the reciprocal of in/out, rounded twice",
            deviate=lambda rule: replace(rule, through_reciprocal=True),
            documented="out / in",
            observed="1 / (in / out)",
        )
    )
    if spec.is_exact and spec.is_gradient:
        found.append(
            Model(
                "fused multiply-add",
                "index rule",
                "product and subtraction are one fused operation, which rounds once instead of twice",
                deviate=lambda rule: replace(rule, fused=True),
                documented="float32(float32(i*s) - 0.5)",
                observed="float32(i*s - 0.5)",
            )
        )
    return tuple(found)


def _with(precision: str) -> Callable[[IndexRule], IndexRule]:
    return lambda rule: replace(rule, precision=precision, torch=False)  # type: ignore[arg-type]
