"""Computes as many windows as without ceil mode and leaves the others 0."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._faults import changed
from acltwin.golden.mutants._pool import axes_of, pool
from acltwin.ops.spec import OpSpec

CAUSE = "border"
SENTENCE = "Computes as many windows as without ceil mode and leaves the others 0."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool(operator, tensors, arguments, alter=_alter)


def _alter(result: Array, call: Call) -> Array:
    for number, axis in enumerate(axes_of(call), start=2):
        span = axis.cells + 2 * axis.padding - axis.dilation * (axis.kernel - 1) - 1
        where = (slice(None),) * number + (slice(span // axis.stride + 1, None),)
        result = changed(result, where, 0)
    return result
