"""``close``: rtol, and a share of misses, which by default may be as large as rtol."""

from __future__ import annotations

import numpy as np

from acltwin.golden.cases.dtypes import Array, facts, float64
from acltwin.golden.judge.rules import Outcome
from acltwin.golden.judge.rules.binary import binary
from acltwin.golden.judge.tolerance import Tolerance


def close(found: Array, expected: Array, dtype: str, tolerance: Tolerance | None = None) -> Outcome:
    if not facts(dtype).is_float:
        return binary(found, expected, dtype)
    allowed = tolerance or Tolerance.of(dtype)
    actual, golden = float64(found), float64(expected)
    with np.errstate(invalid="ignore"):
        near = (actual == golden) | (np.isnan(actual) & np.isnan(golden))
        near |= np.abs(actual - golden) <= allowed.atol + allowed.rtol * np.abs(golden)
    misses = int((~near).sum())
    share = misses / near.size if near.size else 0.0
    strange = int((~near & ~np.isfinite(actual)).sum())
    passed = share <= allowed.misses
    warnings = (f"close lets {strange} NaN or infinity pass as misses",) if passed and strange else ()
    detail = f"{misses} of {near.size} elements miss rtol {allowed.rtol:g}, atol {allowed.atol:g}"
    return Outcome(passed, f"{detail}; {allowed.misses:.2%} may", warnings)
