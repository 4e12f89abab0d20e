"""Gives the middle between each window's smallest and largest value."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, wide
from acltwin.golden.mutants._pool import pool
from acltwin.ops.spec import OpSpec

CAUSE = "accumulation"
SENTENCE = "Gives the middle between each window's smallest and largest value."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    best, indices = pool(operator, tensors, arguments)
    low, _ = pool(operator, tensors, arguments, wins=lambda value, best, unset: (value < best) | unset)
    return (wide(best) / 2 + wide(low) / 2).astype(best.dtype), indices
