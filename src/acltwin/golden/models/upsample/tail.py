"""Cells beyond the last interval, or beyond the input, are wrong."""

from __future__ import annotations

from acltwin.golden.models.model import Model, Page
from acltwin.golden.models.steps import Step, models_from
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Only cases with given scales fail, and only in cells at the end of an axis.",
    arises="A given scale need not match the sizes. In the forward pass, positions beyond the input copy its last "
    "cell; in the gradient, the device drops what lies beyond the last interval.",
    wrong="src = min(src, in_size - 1)      # in the gradient: adds them to the last cell",
    right="if src < in_size: grad_input[src] += grad_output[o]",
    fix="Test with scales slightly smaller and slightly larger than the ratio of the sizes.",
)
_GRADIENT = (
    ("tail clamped", "gradients beyond the last interval are added to the last cell instead of dropped", "clamp"),
    ("tail wrapped", "gradients beyond the last interval start again at the first cell", "wrap"),
)
_FORWARD = (
    ("tail dropped", "cells beyond the input stay 0 instead of copying the last cell", "drop"),
    ("tail wrapped", "cells beyond the input start again at the first one", "wrap"),
    ("last source never read", "sources are clamped to the second-to-last cell", "short"),
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    rows = _GRADIENT if spec.is_gradient else _FORWARD
    documented = "cells at or beyond b(in) are dropped" if spec.is_gradient else "min(..., in - 1)"
    observed = {
        "clamp": "they belong to the last cell",
        "wrap": "they wrap around",
        "drop": "0",
        "short": "min(..., in - 2)",
    }
    return models_from(
        spec, (Step(name, text, {"tail": tail}, documented, observed[tail], "border") for name, text, tail in rows)
    )
