"""Gives index 0 where the maximum is NaN."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places, wide
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._pool import axes_of, maxima, pool
from acltwin.ops.spec import OpSpec

CAUSE = "special values"
SENTENCE = "Gives index 0 where the maximum is NaN."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool(operator, tensors, arguments, index=_index)


def _index(places: Places, call: Call) -> Places:
    best, _ = maxima(wide(call.values), axes_of(call))
    return np.where(np.isnan(best), 0, places)
