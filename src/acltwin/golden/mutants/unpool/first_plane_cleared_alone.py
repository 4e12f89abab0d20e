"""Clears the first plane alone: cells that no index names keep the plane before."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call, flat_planes
from acltwin.golden.mutants._unpool import unpool
from acltwin.ops.spec import OpSpec

CAUSE = "initialisation"
SENTENCE = "Clears the first plane alone: cells that no index names keep the plane before."


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, alter=_alter)


def _alter(result: Array, call: Call) -> Array:
    planes = flat_planes(result).copy()
    for before, plane in pairwise(planes):
        plane[:] = np.where(plane == 0, before, plane)
    return planes.reshape(result.shape)
