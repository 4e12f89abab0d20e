"""Compares in bfloat16: close values are ties."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import BFLOAT16, Array
from acltwin.golden.mutants._faults import as_type
from acltwin.golden.mutants._pool import pool
from acltwin.ops.spec import OpSpec

CAUSE = "rounding"
SENTENCE = "Compares in bfloat16: close values are ties."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool(operator, tensors, arguments, read=as_type(BFLOAT16))
