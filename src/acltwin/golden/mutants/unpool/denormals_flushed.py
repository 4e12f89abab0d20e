"""Flushes denormal numbers to 0."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._faults import denormals_to_zero
from acltwin.golden.mutants._unpool import unpool
from acltwin.ops.spec import OpSpec

CAUSE = "special values"
SENTENCE = "Flushes denormal numbers to 0."


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, read=denormals_to_zero)
