"""Negates every seventh row of the result."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._faults import changed
from acltwin.golden.mutants._unpool import unpool
from acltwin.ops.spec import OpSpec

CAUSE = "accumulation"
SENTENCE = "Negates every seventh row of the result."
HELD_OUT = True


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, alter=_alter)


def _alter(result: Array, call: Call) -> Array:
    rows = result.reshape(-1, result.shape[-1])
    return changed(rows, slice(6, None, 7), -rows[6::7]).reshape(result.shape)
