"""Gives the window's first cell as the index."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._pool import Taps, plane_index, pool
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Gives the window's first cell as the index."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool(operator, tensors, arguments, place=_place)


def _place(taps: Taps) -> Places:
    coordinates = zip((taps.d, taps.h, taps.w), taps.tap, taps.axes, strict=True)
    d, h, w = (np.maximum(cells - tap * axis.dilation, 0) for cells, tap, axis in coordinates)
    return plane_index(Taps(d, h, w, taps.tap, taps.axes))
