"""Swaps the height and width of the window."""

from __future__ import annotations

from dataclasses import replace

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._pool import Axis, pool
from acltwin.ops.spec import OpSpec

CAUSE = "layout"
SENTENCE = "Swaps the height and width of the window."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool(operator, tensors, arguments, together=_swapped)


def _swapped(axes: list[Axis]) -> list[Axis]:
    d, h, w = axes
    return [d, replace(h, kernel=w.kernel), replace(w, kernel=h.kernel)]
