"""Mirrors the lower half of every plane along W."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._faults import changed
from acltwin.golden.mutants._pool import either
from acltwin.ops.spec import OpSpec

CAUSE = "layout"
SENTENCE = "Mirrors the lower half of every plane along W."
HELD_OUT = True


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return either(operator, tensors, arguments, alter=_alter)


def _alter(result: Array, call: Call) -> Array:
    middle = (result.shape[-2] + 1) // 2
    return changed(result, (..., slice(middle, None), slice(None)), result[..., middle:, ::-1])
