"""Clears the sums before the first plane alone: each plane goes on with the sums of the one before."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, wide
from acltwin.golden.mutants._call import Call, flat_planes
from acltwin.golden.mutants._pool import pool_gradient
from acltwin.ops.spec import OpSpec

CAUSE = "initialisation"
SENTENCE = "Clears the sums before the first plane alone: each plane goes on with the sums of the one before."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool_gradient(operator, tensors, arguments, alter=_alter)


def _alter(result: Array, call: Call) -> Array:
    sums = np.cumsum(wide(flat_planes(result)), axis=0, dtype=wide(result).dtype)
    return sums.astype(result.dtype).reshape(result.shape)
