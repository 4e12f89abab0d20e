"""Exchanges every ninth element with the one before it."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._call import Call, flat_planes
from acltwin.golden.mutants._unpool import unpool
from acltwin.ops.spec import OpSpec

CAUSE = "tiling"
SENTENCE = "Exchanges every ninth element with the one before it."
HELD_OUT = True


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, places=_places)


def _places(places: Places, call: Call) -> Places:
    flat = flat_planes(places).copy()
    late = np.arange(8, flat.shape[1], 9)
    flat[:, late], flat[:, late - 1] = flat[:, late - 1], flat[:, late].copy()
    return flat.reshape(places.shape)
