"""Finds the maxima again instead of using the indices, and compares in bfloat16."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import BFLOAT16, Array, Places, through, wide
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._pool import axes_of, maxima, pool_gradient
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Finds the maxima again instead of using the indices, and compares in bfloat16."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool_gradient(operator, tensors, arguments, targets=_targets)


def _targets(places: Places, call: Call) -> Places:
    assert call.input is not None
    return maxima(wide(through(call.input, BFLOAT16)), axes_of(call))[1]
