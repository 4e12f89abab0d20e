"""Handles the first 256 elements of a plane alone."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._call import Call, flat_planes
from acltwin.golden.mutants._faults import changed
from acltwin.golden.mutants._unpool import unpool
from acltwin.ops.spec import OpSpec

CAUSE = "tiling"
SENTENCE = "Handles the first 256 elements of a plane alone."


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, places=_places)


def _places(places: Places, call: Call) -> Places:
    return changed(flat_planes(places), (..., slice(256, None)), -1).reshape(places.shape)
