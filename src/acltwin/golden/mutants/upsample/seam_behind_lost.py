"""Loses the part of an interval that lies behind a tile of 16 gradients."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import Axis, Pairs, right_pairs, upsample
from acltwin.ops.spec import OpSpec

CAUSE = "tiling"
SENTENCE = "Loses the part of an interval that lies behind a tile of 16 gradients."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, pairs=_pairs)


def _pairs(axis: Axis) -> Pairs:
    inner, outer = right_pairs(axis)
    first = np.full(axis.in_size, axis.out_size)
    np.minimum.at(first, inner, outer)
    kept = outer // 16 == first[inner] // 16
    return inner[kept], outer[kept]
