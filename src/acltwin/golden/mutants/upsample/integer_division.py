"""Computes positions with integers, o * in // out, where float32 rounds."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import Axis, Pairs, from_source, right_pairs, upsample
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Computes positions with integers, o * in // out, where float32 rounds."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and not spec.is_exact


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, pairs=_pairs)


def _pairs(axis: Axis) -> Pairs:
    if axis.scale is not None:
        return right_pairs(axis)
    return from_source(np.arange(axis.out_size) * axis.in_size // axis.out_size, axis)
