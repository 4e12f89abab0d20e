"""Counts indices in the padded plane."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._pool import Taps, pool
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Counts indices in the padded plane."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool(operator, tensors, arguments, place=_place)


def _place(taps: Taps) -> Places:
    d, h, w = taps.axes
    rows = (taps.d + d.padding) * (h.cells + 2 * h.padding) + taps.h + h.padding
    return np.asarray(rows * (w.cells + 2 * w.padding) + taps.w + w.padding)
