"""Finds the maxima again instead of using the indices, and takes the last of ties."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places, wide
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._pool import Mask, axes_of, maxima, pool_gradient
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Finds the maxima again instead of using the indices, and takes the last of ties."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool_gradient(operator, tensors, arguments, targets=_targets)


def _targets(places: Places, call: Call) -> Places:
    assert call.input is not None
    return maxima(wide(call.input), axes_of(call), wins=_last)[1]


def _last(value: Array, best: Array, unset: Mask) -> Mask:
    return np.asarray((value >= best) | np.isnan(value) | unset)
