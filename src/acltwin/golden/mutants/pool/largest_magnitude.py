"""Compares absolute values."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._pool import Mask, pool
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Compares absolute values."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool(operator, tensors, arguments, wins=_wins)


def _wins(value: Array, best: Array, unset: Mask) -> Mask:
    return np.asarray((np.abs(value) > np.abs(best)) | np.isnan(value) | unset)
