"""Rounds each sum to 19 bits (11 of them significant) before it rounds to the result's type."""

from __future__ import annotations

from typing import Any

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import BFLOAT16, Array, nearest_even
from acltwin.golden.mutants._upsample import upsample
from acltwin.ops.spec import OpSpec

CAUSE = "rounding"
SENTENCE = "Rounds each sum to 19 bits (11 of them significant) before it rounds to the result's type."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, finish=_finish)


def _finish(values: Array, dtype: np.dtype[Any]) -> Array:
    """Rounded to nearest at 11 significant bits first, by adding and subtracting a multiple of the value."""
    if dtype != BFLOAT16:
        return nearest_even(values, dtype)
    kept = values * np.float32(2**13 + 1)
    short = kept - (kept - values)
    return nearest_even(np.where(np.isfinite(short), short, values), dtype)
