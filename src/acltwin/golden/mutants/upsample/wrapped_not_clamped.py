"""Begins again at the first cell where the source lies beyond the last one."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import Axis, Pairs, from_source, upsample
from acltwin.ops.spec import OpSpec

CAUSE = "border"
SENTENCE = "Begins again at the first cell where the source lies beyond the last one."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, pairs=_pairs)


def _pairs(axis: Axis) -> Pairs:
    source = np.nan_to_num(np.floor(axis.outer.astype(np.float64) * axis.step), posinf=0)
    return from_source(source % axis.in_size, axis)
