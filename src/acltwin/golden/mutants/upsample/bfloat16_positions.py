"""Computes positions in bfloat16."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import BFLOAT16, Array
from acltwin.golden.mutants._upsample import Axis, Pairs, from_float_bounds, from_source, upsample
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Computes positions in bfloat16."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, pairs=_pairs)


def _pairs(axis: Axis) -> Pairs:
    half = BFLOAT16.type(0.5 if axis.exact else 0.0)
    if axis.is_gradient:
        bounds = np.arange(axis.in_size + 1).astype(BFLOAT16) * BFLOAT16.type(axis.factor) - half
        return from_float_bounds(np.ceil(bounds.astype(np.float32)), axis)
    source = (np.arange(axis.out_size).astype(BFLOAT16) + half) * BFLOAT16.type(axis.step)
    return from_source(np.floor(source.astype(np.float32)), axis)
