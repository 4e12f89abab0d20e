"""Gives index 0 where a window holds nothing but -inf."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._pool import Mask, pool
from acltwin.ops.spec import OpSpec

CAUSE = "special values"
SENTENCE = "Gives index 0 where a window holds nothing but -inf."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool(operator, tensors, arguments, start=-np.inf, wins=_wins)


def _wins(value: Array, best: Array, unset: Mask) -> Mask:
    return np.asarray((value > best) | np.isnan(value))
