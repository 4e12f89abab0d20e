"""Leaves out the last cell of every window along each axis."""

from __future__ import annotations

from dataclasses import replace

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._pool import pool
from acltwin.ops.spec import OpSpec

CAUSE = "border"
SENTENCE = "Leaves out the last cell of every window along each axis."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool(operator, tensors, arguments, geometry=lambda axis: replace(axis, kernel=max(axis.kernel - 1, 1)))
