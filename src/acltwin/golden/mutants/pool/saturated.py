"""Stops at the largest finite number where a sum overflows."""

from __future__ import annotations

from typing import Any

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, toward_zero
from acltwin.golden.mutants._pool import pool_gradient
from acltwin.ops.spec import OpSpec

CAUSE = "special values"
SENTENCE = "Stops at the largest finite number where a sum overflows."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool_gradient(operator, tensors, arguments, finish=_finish)


def _finish(values: Array, dtype: np.dtype[Any]) -> Array:
    result = values.astype(dtype)
    overflown = np.isinf(result) & np.isfinite(values)
    return np.where(overflown, toward_zero(values, dtype), result)
