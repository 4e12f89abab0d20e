"""Computes scale and position in float64, where the operator rounds to float32."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import Axis, Pairs, from_float_bounds, from_source, upsample
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Computes scale and position in float64, where the operator rounds to float32."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, pairs=_pairs)


def _pairs(axis: Axis) -> Pairs:
    half = 0.5 if axis.exact else 0.0
    factor = axis.scale or axis.out_size / axis.in_size
    if axis.is_gradient:
        return from_float_bounds(np.ceil(np.arange(axis.in_size + 1) * factor - half), axis)
    return from_source(np.floor((np.arange(axis.out_size) + half) * (1.0 / factor)), axis)
