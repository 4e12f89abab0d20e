"""Divides each gradient by the number of cells in a window, as average pooling does."""

from __future__ import annotations

import math

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, wide
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._pool import axes_of, pool_gradient
from acltwin.ops.spec import OpSpec

CAUSE = "accumulation"
SENTENCE = "Divides each gradient by the number of cells in a window, as average pooling does."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool_gradient(operator, tensors, arguments, read=_read)


def _read(values: Array, call: Call) -> Array:
    cells = math.prod(axis.kernel for axis in axes_of(call))
    return np.asarray(wide(values) / cells, values.dtype)
