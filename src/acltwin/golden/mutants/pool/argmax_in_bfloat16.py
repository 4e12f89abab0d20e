"""Finds the index in bfloat16, though the maximum is right."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import BFLOAT16, Array, Places, through, wide
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._pool import axes_of, maxima, pool
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Finds the index in bfloat16, though the maximum is right."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool(operator, tensors, arguments, index=_index)


def _index(places: Places, call: Call) -> Places:
    return maxima(wide(through(call.values, BFLOAT16)), axes_of(call))[1]
