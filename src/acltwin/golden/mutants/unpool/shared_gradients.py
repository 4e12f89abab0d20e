"""Divides each gradient by the number of elements that name its place."""

from __future__ import annotations

import math

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, wide
from acltwin.golden.mutants._call import Call, flat_planes
from acltwin.golden.mutants._unpool import output_size, unpool
from acltwin.ops.spec import OpSpec

CAUSE = "accumulation"
SENTENCE = "Divides each gradient by the number of elements that name its place."


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, alter=_alter)


def _alter(result: Array, call: Call) -> Array:
    assert call.indices is not None
    flat = flat_planes(call.indices)
    numbers = flat + np.arange(len(flat))[:, None] * math.prod(output_size(call))
    _, number, count = np.unique(numbers, return_inverse=True, return_counts=True)
    return np.asarray(wide(result) / count[number].reshape(result.shape), result.dtype)
