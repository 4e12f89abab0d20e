"""Cuts a sum off to 16 bits instead of rounding to nearest."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, toward_zero
from acltwin.golden.mutants._pool import pool_gradient
from acltwin.ops.spec import OpSpec

CAUSE = "rounding"
SENTENCE = "Cuts a sum off to 16 bits instead of rounding to nearest."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool_gradient(operator, tensors, arguments, finish=toward_zero)
