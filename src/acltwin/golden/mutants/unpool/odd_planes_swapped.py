"""Swaps the second and the fourth channel if C is even and above 4."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._faults import changed
from acltwin.golden.mutants._unpool import unpool
from acltwin.ops.spec import OpSpec

CAUSE = "layout"
SENTENCE = "Swaps the second and the fourth channel if C is even and above 4."
HELD_OUT = True


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, alter=_alter)


def _alter(result: Array, call: Call) -> Array:
    channels = result.shape[1]
    if channels <= 4 or channels % 2:
        return result
    return changed(result, (slice(None), [1, 3]), result[:, [3, 1]])
