"""Takes indices for places in the padded plane."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._pool import axes_of, pool_gradient
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Takes indices for places in the padded plane."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool_gradient(operator, tensors, arguments, targets=_targets)


def _targets(places: Places, call: Call) -> Places:
    _, h, w = axes_of(call)
    wide_row, tall = w.cells + 2 * w.padding, h.cells + 2 * h.padding
    rows, column = np.divmod(places, wide_row)
    depth, row = np.divmod(rows, tall)
    inside = (column < w.cells) & (row < h.cells)
    return np.where(inside, (depth * h.cells + row) * w.cells + column, -1)
