"""Drops the gradients of windows that stick out of the plane at its end."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._faults import changed
from acltwin.golden.mutants._pool import axes_of, pool_gradient
from acltwin.ops.spec import OpSpec

CAUSE = "border"
SENTENCE = "Drops the gradients of windows that stick out of the plane at its end."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool_gradient(operator, tensors, arguments, read=_read)


def _read(values: Array, call: Call) -> Array:
    for number, axis in enumerate(axes_of(call), start=2):
        out = axis.starts + axis.dilation * (axis.kernel - 1) >= axis.cells
        values = changed(values, (slice(None),) * number + (out,), 0)
    return values
