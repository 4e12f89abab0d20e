"""Looks at a window column by column, so that ties go to the smallest w instead of the smallest d."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._pool import pool
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Looks at a window column by column, so that ties go to the smallest w instead of the smallest d."
TOLERATED = "Among equal maxima, and among NaNs, every index counts as right."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool(operator, tensors, arguments, order=lambda tap: tap[::-1])
