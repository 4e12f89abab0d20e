"""Nearest where nearest-exact is meant, or the other way round."""

from __future__ import annotations

from dataclasses import replace

from acltwin.golden.models.model import Model
from acltwin.ops.spec import OpSpec


def models(spec: OpSpec) -> tuple[Model, ...]:
    name, other = ("plain nearest", "ceil(i*s)") if spec.is_exact else ("nearest-exact", "ceil(i*s - 0.5)")
    right = "ceil(i*s - 0.5)" if spec.is_exact else "ceil(i*s)"
    forward = {True: "floor((o + 0.5)*t)", False: "floor(o*t)"}
    return (
        Model(
            name,
            "index rule",
            "nearest and nearest-exact are confused",
            deviate=lambda rule: replace(rule, exact=not rule.exact, torch=False),
            documented=f"b(i) = {right}" if spec.is_gradient else f"src(o) = {forward[spec.is_exact]}",
            observed=f"b(i) = {other}" if spec.is_gradient else f"src(o) = {forward[not spec.is_exact]}",
            note="both agree for integer factors" if spec.is_gradient else "",
        ),
    )
