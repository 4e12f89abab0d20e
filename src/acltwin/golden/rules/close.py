"""``close``: rtol and a share of misses that may be as large as rtol."""

from __future__ import annotations

import numpy as np

from acltwin.golden.dtypes import Array, facts, float64
from acltwin.golden.rules import Outcome
from acltwin.golden.rules.binary import binary

ATOL = 1e-8


def tolerance(dtype: str) -> float:
    return 1e-3 if dtype in ("float16", "bfloat16") else 1e-4


def close(found: Array, expected: Array, dtype: str) -> Outcome:
    if not facts(dtype).is_float:
        return binary(found, expected, dtype)
    rtol = tolerance(dtype)
    actual, golden = float64(found), float64(expected)
    with np.errstate(invalid="ignore"):
        near = (actual == golden) | (np.isnan(actual) & np.isnan(golden))
        near |= np.abs(actual - golden) <= ATOL + rtol * np.abs(golden)
    misses = int((~near).sum())
    share = misses / near.size if near.size else 0.0
    strange = int((~near & ~np.isfinite(actual)).sum())
    passed = share <= rtol
    warnings = (f"close lets {strange} NaN or infinity pass as misses",) if passed and strange else ()
    return Outcome(passed, f"{misses} of {near.size} elements miss rtol {rtol:g}; {rtol:.2%} may", warnings)
