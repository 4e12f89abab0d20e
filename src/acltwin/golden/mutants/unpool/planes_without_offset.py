"""Forgets the planes' offset: every plane is written to the first one."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call, flat_planes
from acltwin.golden.mutants._faults import changed
from acltwin.golden.mutants._unpool import unpool
from acltwin.ops.spec import OpSpec

CAUSE = "layout"
SENTENCE = "Forgets the planes' offset: every plane is written to the first one."


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, alter=_alter)


def _alter(result: Array, call: Call) -> Array:
    planes = flat_planes(result)
    last = np.zeros(planes.shape[1], result.dtype)
    for plane in planes:
        last = np.where(plane != 0, plane, last)
    return changed(np.zeros_like(planes), 0, last).reshape(result.shape)
