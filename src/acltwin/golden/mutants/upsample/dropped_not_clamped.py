"""Leaves cells 0 whose source lies beyond the last cell, instead of copying the last cell."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import Axis, Pairs, upsample
from acltwin.ops.spec import OpSpec

CAUSE = "border"
SENTENCE = "Leaves cells 0 whose source lies beyond the last cell, instead of copying the last cell."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, pairs=_pairs)


def _pairs(axis: Axis) -> Pairs:
    source = np.floor(axis.outer * axis.step)
    kept = np.flatnonzero(source < axis.in_size)
    return source[kept].astype(np.int64), kept
