"""Divides the sizes less one, (in - 1) / (out - 1), to find the step."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import Axis, Pairs, from_source, upsample
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Divides the sizes less one, (in - 1) / (out - 1), to find the step."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, pairs=_pairs)


def _pairs(axis: Axis) -> Pairs:
    step = np.float32(axis.in_size - 1) / np.float32(max(axis.out_size - 1, 1))
    return from_source(np.floor(axis.outer * step), axis)
