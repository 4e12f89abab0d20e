"""Counts indices with H and W swapped."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._pool import Taps, pool
from acltwin.ops.spec import OpSpec

CAUSE = "layout"
SENTENCE = "Counts indices with H and W swapped."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool(operator, tensors, arguments, place=_place)


def _place(taps: Taps) -> Places:
    _, h, w = (axis.cells for axis in taps.axes)
    return np.asarray((taps.d * w + taps.w) * h + taps.h)
