"""Writes the result with H and W swapped."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._faults import axes_swapped
from acltwin.golden.mutants._pool import either
from acltwin.ops.spec import OpSpec

CAUSE = "layout"
SENTENCE = "Writes the result with H and W swapped."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return either(operator, tensors, arguments, alter=axes_swapped(-1, -2))
