"""Adds a half after scaling instead of before."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import Axis, Pairs, from_source, upsample
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Adds a half after scaling instead of before."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and not spec.is_exact


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, pairs=_pairs)


def _pairs(axis: Axis) -> Pairs:
    return from_source(np.floor(axis.outer * axis.step + np.float32(0.5)), axis)
