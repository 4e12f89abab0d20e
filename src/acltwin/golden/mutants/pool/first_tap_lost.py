"""Leaves out the first cell of every window along each axis."""

from __future__ import annotations

from dataclasses import replace

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._pool import Axis, pool
from acltwin.ops.spec import OpSpec

CAUSE = "border"
SENTENCE = "Leaves out the first cell of every window along each axis."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool(operator, tensors, arguments, geometry=_geometry)


def _geometry(axis: Axis) -> Axis:
    if axis.kernel == 1:
        return axis
    return replace(axis, kernel=axis.kernel - 1, padding=axis.padding - axis.dilation)
