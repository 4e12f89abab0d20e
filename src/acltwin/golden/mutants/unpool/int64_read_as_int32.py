"""Reads int64 indices as twice as many int32 ones: low and high halves in turn."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._call import Call, flat_planes
from acltwin.golden.mutants._unpool import unpool
from acltwin.ops.spec import OpSpec

CAUSE = "layout"
SENTENCE = "Reads int64 indices as twice as many int32 ones: low and high halves in turn."


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, places=_places)


def _places(places: Places, call: Call) -> Places:
    flat = flat_planes(places)
    halves = np.stack([flat & 0xFFFFFFFF, flat >> 32], axis=-1).reshape(len(flat), -1)
    return halves[:, : flat.shape[1]].reshape(places.shape)
