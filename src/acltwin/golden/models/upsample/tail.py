"""Cells beyond the last interval."""

from __future__ import annotations

from dataclasses import replace

from acltwin.golden.models.model import Model
from acltwin.ops.spec import OpSpec


def models(spec: OpSpec) -> tuple[Model, ...]:
    if spec.is_gradient:
        return (
            Model(
                "tail clamped",
                "border",
                "gradients beyond the last interval are added to the last cell instead of dropped",
                deviate=lambda rule: replace(rule, tail="clamp"),
                documented="cells at or beyond b(in) are dropped",
                observed="they belong to the last cell",
            ),
            Model(
                "tail wrapped",
                "border",
                "gradients beyond the last interval start again at the first cell",
                deviate=lambda rule: replace(rule, tail="wrap"),
                documented="cells at or beyond b(in) are dropped",
                observed="they wrap around",
            ),
        )
    return (
        Model(
            "tail dropped",
            "border",
            "cells beyond the input stay 0 instead of copying the last cell",
            deviate=lambda rule: replace(rule, tail="drop"),
            documented="min(..., in - 1)",
            observed="0",
        ),
        Model(
            "tail wrapped",
            "border",
            "cells beyond the input start again at the first one",
            deviate=lambda rule: replace(rule, tail="wrap"),
            documented="min(..., in - 1)",
            observed="modulo in",
        ),
    )
