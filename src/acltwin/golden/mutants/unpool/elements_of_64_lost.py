"""Takes elements in tiles of 64 and never handles the last, partial one."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._call import Call, flat_planes
from acltwin.golden.mutants._faults import changed
from acltwin.golden.mutants._unpool import unpool
from acltwin.ops.spec import OpSpec

CAUSE = "tiling"
SENTENCE = "Takes elements in tiles of 64 and never handles the last, partial one."


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, places=_places)


def _places(places: Places, call: Call) -> Places:
    flat = flat_planes(places)
    full = flat.shape[1] if flat.shape[1] <= 64 else flat.shape[1] // 64 * 64
    return changed(flat, (..., slice(full, None)), -1).reshape(places.shape)
