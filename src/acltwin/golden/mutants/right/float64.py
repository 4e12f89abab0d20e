"""Adds in float64 and rounds once."""

from __future__ import annotations

from acltwin.golden.mutants import RIGHT, Result
from acltwin.golden.mutants._arithmetic import Array, float64_sum
from acltwin.golden.mutants._right import right
from acltwin.ops.spec import OpSpec

CAUSE = RIGHT
SENTENCE = "Adds in float64 and rounds once."


def applies(spec: OpSpec) -> bool:
    return True


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return right(operator, tensors, arguments, total=float64_sum)
