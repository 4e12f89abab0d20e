"""Computes the first 512 cells of a plane alone."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._faults import beyond_lost
from acltwin.golden.mutants._pool import either
from acltwin.ops.spec import OpSpec

CAUSE = "tiling"
SENTENCE = "Computes the first 512 cells of a plane alone."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return either(operator, tensors, arguments, alter=beyond_lost(512))
