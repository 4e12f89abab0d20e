"""Divides the sizes the wrong way round."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import Axis, Pairs, from_float_bounds, from_source, upsample
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Divides the sizes the wrong way round."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, pairs=_pairs)


def _pairs(axis: Axis) -> Pairs:
    if axis.is_gradient:
        half = np.float32(0.5 if axis.exact else 0.0)
        return from_float_bounds(np.ceil(np.arange(axis.in_size + 1).astype(np.float32) * axis.step - half), axis)
    return from_source(np.floor(axis.outer * axis.factor), axis)
