"""Counts indices inside the window."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._pool import Taps, pool
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Counts indices inside the window."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool(operator, tensors, arguments, place=_place)


def _place(taps: Taps) -> Places:
    _, h, w = (axis.kernel for axis in taps.axes)
    return np.full((1, 1, 1), (taps.tap[0] * h + taps.tap[1]) * w + taps.tap[2])
