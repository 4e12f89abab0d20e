"""Adds 1 to every eleventh index."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._faults import changed
from acltwin.golden.mutants._pool import pool
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Adds 1 to every eleventh index."
HELD_OUT = True


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool(operator, tensors, arguments, index=_index)


def _index(places: Places, call: Call) -> Places:
    flat = places.reshape(-1)
    return changed(flat, slice(10, None, 11), flat[10::11] + 1).reshape(places.shape)
