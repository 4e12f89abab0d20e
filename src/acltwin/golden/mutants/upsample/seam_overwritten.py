"""Overwrites a cell's sum where its interval goes on in the next tile of 16 gradients."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import Axis, Pairs, right_pairs, upsample
from acltwin.ops.spec import OpSpec

CAUSE = "tiling"
SENTENCE = "Overwrites a cell's sum where its interval goes on in the next tile of 16 gradients."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, pairs=_pairs)


def _pairs(axis: Axis) -> Pairs:
    inner, outer = right_pairs(axis)
    last = np.zeros(axis.in_size, np.int64)
    np.maximum.at(last, inner, outer)
    kept = outer // 16 == last[inner] // 16
    return inner[kept], outer[kept]
