"""Clamps sources to the last cell but one."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import Axis, Pairs, right_pairs, upsample
from acltwin.ops.spec import OpSpec

CAUSE = "border"
SENTENCE = "Clamps sources to the last cell but one."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, pairs=_pairs)


def _pairs(axis: Axis) -> Pairs:
    inner, outer = right_pairs(axis)
    return np.minimum(inner, max(axis.in_size - 2, 0)), outer
