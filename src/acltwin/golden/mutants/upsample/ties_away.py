"""Rounds ties away from zero instead of to even."""

from __future__ import annotations

from typing import Any

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, away_from_zero, between, nearest_even, toward_zero
from acltwin.golden.mutants._upsample import upsample
from acltwin.ops.spec import OpSpec

CAUSE = "rounding"
SENTENCE = "Rounds ties away from zero instead of to even."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, finish=_finish)


def _finish(values: Array, dtype: np.dtype[Any]) -> Array:
    low, high = toward_zero(values, dtype), away_from_zero(values, dtype)
    return np.where(between(low, high, values) == 0.5, high, nearest_even(values, dtype))
