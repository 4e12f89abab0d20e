"""Forgets the planes' offset: everything is added to the first plane."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, wide
from acltwin.golden.mutants._call import Call, flat_planes
from acltwin.golden.mutants._faults import changed
from acltwin.golden.mutants._pool import pool_gradient
from acltwin.ops.spec import OpSpec

CAUSE = "layout"
SENTENCE = "Forgets the planes' offset: everything is added to the first plane."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool_gradient(operator, tensors, arguments, alter=_alter)


def _alter(result: Array, call: Call) -> Array:
    sums = wide(flat_planes(result)).sum(axis=0).astype(result.dtype)
    return changed(np.zeros(flat_planes(result).shape, result.dtype), 0, sums).reshape(result.shape)
