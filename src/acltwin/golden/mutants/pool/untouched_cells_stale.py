"""Leaves in cells without a gradient what the memory held before."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call, flat_planes
from acltwin.golden.mutants._pool import pool_gradient
from acltwin.ops.spec import OpSpec

CAUSE = "initialisation"
SENTENCE = "Leaves in cells without a gradient what the memory held before."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool_gradient(operator, tensors, arguments, alter=_alter)


def _alter(result: Array, call: Call) -> Array:
    assert call.indices is not None
    touched = np.zeros(flat_planes(result).shape, bool)
    np.put_along_axis(touched, flat_planes(call.indices), True, axis=1)
    return np.where(touched.reshape(result.shape), result, np.resize(call.values.reshape(-1), result.shape))
