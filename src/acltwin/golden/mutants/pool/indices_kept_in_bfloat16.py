"""Keeps indices in bfloat16, which has no odd numbers beyond 256."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import BFLOAT16, Array
from acltwin.golden.mutants._faults import kept_as
from acltwin.golden.mutants._pool import pool_gradient
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Keeps indices in bfloat16, which has no odd numbers beyond 256."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool_gradient(operator, tensors, arguments, targets=kept_as(BFLOAT16))
