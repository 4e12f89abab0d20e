"""Counts indices in column order."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._pool import Taps, pool
from acltwin.ops.spec import OpSpec

CAUSE = "layout"
SENTENCE = "Counts indices in column order."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool(operator, tensors, arguments, place=_place)


def _place(taps: Taps) -> Places:
    d, h, _ = (axis.cells for axis in taps.axes)
    return np.asarray((taps.w * h + taps.h) * d + taps.d)
