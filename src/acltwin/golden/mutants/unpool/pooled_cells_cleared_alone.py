"""Clears as many cells as self has: cells behind them begin with 1."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call, flat_planes
from acltwin.golden.mutants._unpool import unpool
from acltwin.ops.spec import OpSpec

CAUSE = "initialisation"
SENTENCE = "Clears as many cells as self has: cells behind them begin with 1."


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, alter=_alter)


def _alter(result: Array, call: Call) -> Array:
    assert call.indices is not None
    planes, places = flat_planes(result).copy(), flat_planes(call.indices)
    named = np.zeros(planes.shape, bool)
    np.put_along_axis(named, places, True, axis=1)
    named[:, : places.shape[1]] = True
    planes[~named] = 1
    return planes.reshape(result.shape)
