"""Rounds every partial sum to the 16 bits of the result."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, rounded_total
from acltwin.golden.mutants._call import parse
from acltwin.golden.mutants._pool import pool_gradient
from acltwin.ops.spec import OpSpec

CAUSE = "accumulation"
SENTENCE = "Rounds every partial sum to the 16 bits of the result."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    dtype = parse(operator, tensors, arguments).raw.dtype
    return pool_gradient(operator, tensors, arguments, total=rounded_total(dtype))
