"""``stat_rel_err``: mean and largest relative error (MERE and MARE)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import Array, facts, float64
from acltwin.golden.judge.rules import Outcome
from acltwin.golden.judge.rules.binary import binary

_THRESHOLD = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-13}
_SMALL = {"float16": (2.0**-11, 2.0**-16), "bfloat16": (2.0**-8, 2.0**-16), "float32": (2.0**-14, 2.0**-30)}
_NOT_ZERO = 1e-7

T = TypeVar("T")


def stat_rel_err(found: Array, expected: Array, dtype: str) -> Outcome:
    """Mean below T, largest below 10 T."""
    if not facts(dtype).is_float:
        return binary(found, expected, dtype)
    return _judge(*_errors(found, expected), _of(_THRESHOLD, dtype))


def stat_rel_err_small(found: Array, expected: Array, dtype: str) -> Outcome:
    """Where that fails, small expected values are judged by their absolute error instead."""
    first = stat_rel_err(found, expected, dtype)
    if first.passed or not facts(dtype).is_float:
        return first
    error, golden = _errors(found, expected)
    below, atol = _of(_SMALL, dtype)
    small = np.abs(golden) < below
    missed = int((~(error[small] <= atol)).sum())
    rest = _judge(error[~small], golden[~small], _of(_THRESHOLD, dtype))
    return Outcome(rest.passed and missed == 0, f"{rest.detail}; {missed} small values off by more than {atol:g}")


def _of(table: Mapping[str, T], dtype: str) -> T:
    return table.get(dtype, table["float32"])


def _errors(found: Array, expected: Array) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    actual, golden = float64(found).ravel(), float64(expected).ravel()
    with np.errstate(invalid="ignore"):
        same = (actual == golden) | (np.isnan(actual) & np.isnan(golden))
        return np.where(same, 0.0, np.abs(actual - golden)), golden


def _judge(error: NDArray[np.float64], golden: NDArray[np.float64], threshold: float) -> Outcome:
    with np.errstate(invalid="ignore"):
        relative = np.where(error == 0, 0.0, error / (np.abs(golden) + _NOT_ZERO))
    mean = float(relative.mean()) if relative.size else 0.0
    largest = float(relative.max(initial=0.0))
    detail = f"relative error: mean {mean:g} (below {threshold:g}), largest {largest:g} (below {10 * threshold:g})"
    return Outcome(mean < threshold and largest < 10 * threshold, detail)
