"""Reads gradients in tiles of 64 windows and never adds the last, partial one."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._faults import flat_tail_lost
from acltwin.golden.mutants._pool import pool_gradient
from acltwin.ops.spec import OpSpec

CAUSE = "tiling"
SENTENCE = "Reads gradients in tiles of 64 windows and never adds the last, partial one."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool_gradient(operator, tensors, arguments, read=flat_tail_lost(64))
