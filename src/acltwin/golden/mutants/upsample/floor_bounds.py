"""Begins each cell's interval at the floor instead of the ceiling."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import Axis, Pairs, from_float_bounds, upsample
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Begins each cell's interval at the floor instead of the ceiling."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, pairs=_pairs)


def _pairs(axis: Axis) -> Pairs:
    half = np.float32(0.5 if axis.exact else 0.0)
    bounds = np.floor(np.arange(axis.in_size + 1).astype(np.float32) * axis.factor - half)
    return from_float_bounds(bounds, axis)
