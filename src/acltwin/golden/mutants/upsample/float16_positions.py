"""Computes positions in float16."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import Axis, Pairs, from_float_bounds, from_source, upsample
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Computes positions in float16."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, pairs=_pairs)


def _pairs(axis: Axis) -> Pairs:
    half = np.float16(0.5 if axis.exact else 0.0)
    if axis.is_gradient:
        bounds = np.ceil(np.arange(axis.in_size + 1).astype(np.float16) * np.float16(axis.factor) - half)
        return from_float_bounds(bounds.astype(np.float32), axis)
    source = np.floor((np.arange(axis.out_size).astype(np.float16) + half) * np.float16(axis.step))
    return from_source(source.astype(np.float32), axis)
