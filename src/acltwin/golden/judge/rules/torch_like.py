"""``rtol_equal``, as torch_npu's tests compare, and ``assert_close``, as torch.testing does."""

from __future__ import annotations

import numpy as np

from acltwin.golden.cases.dtypes import Array, facts, float64
from acltwin.golden.judge.rules import Outcome
from acltwin.golden.judge.rules.binary import binary

_CLOSE = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}


def rtol_equal(found: Array, expected: Array, dtype: str) -> Outcome:
    """Fails only if both the relative and the absolute test miss somewhere, and one of them misses too often."""
    if not facts(dtype).is_float:
        return binary(found, expected, dtype)
    limit, not_zero = (1e-3, 6e-8) if dtype in ("float16", "bfloat16") else (1e-4, 10e-10)
    actual, golden = float64(found), float64(expected)
    nan = np.isnan(golden)
    if not np.array_equal(nan, np.isnan(actual)):
        return Outcome(False, "NaN is not in the same places")
    with np.errstate(invalid="ignore"):
        error = np.where(nan | (actual == golden), 0.0, np.abs(actual - golden))
        relative = error / (np.maximum(np.abs(actual), np.abs(golden)) + not_zero)
    far, off = int((~nan & ~(error <= limit)).sum()), int((~nan & ~(relative <= limit)).sum())
    off -= int((~nan & (error == 0) & ~(relative <= limit)).sum())  # equal infinities
    allowed = golden.size * limit
    passed = not (far and off) or (far <= allowed and off <= allowed)
    return Outcome(passed, f"{off} relative and {far} absolute misses of {limit:g}; {allowed:g} may")


def assert_close(found: Array, expected: Array, dtype: str) -> Outcome:
    if not facts(dtype).is_float:
        return binary(found, expected, dtype)
    rtol, atol = _CLOSE[dtype]
    actual, golden = float64(found), float64(expected)
    with np.errstate(invalid="ignore"):
        near = (actual == golden) | (np.abs(actual - golden) <= atol + rtol * np.abs(golden))
    misses = int((~near).sum())
    return Outcome(
        misses == 0, f"{misses} of {near.size} elements beyond {atol:g} + {rtol:g} |expected|; NaN never passes"
    )
