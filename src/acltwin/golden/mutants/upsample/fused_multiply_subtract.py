"""Multiplies and subtracts the half in one step, without rounding in between."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import Axis, Pairs, from_float_bounds, upsample
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Multiplies and subtracts the half in one step, without rounding in between."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and spec.is_gradient and spec.is_exact


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, pairs=_pairs)


def _pairs(axis: Axis) -> Pairs:
    fused = (np.arange(axis.in_size + 1) * float(axis.factor) - 0.5).astype(np.float32)
    return from_float_bounds(np.ceil(fused), axis)
