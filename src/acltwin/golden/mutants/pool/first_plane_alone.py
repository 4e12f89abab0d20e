"""Reads the first plane for every plane."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._faults import first_plane_everywhere
from acltwin.golden.mutants._pool import either
from acltwin.ops.spec import OpSpec

CAUSE = "layout"
SENTENCE = "Reads the first plane for every plane."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return either(operator, tensors, arguments, read=first_plane_everywhere)
