"""``cosine``: the angle between the two tensors, taken as vectors. It does not see a wrong scale on its own."""

from __future__ import annotations

import numpy as np

from acltwin.golden.cases.dtypes import Array, facts, float64
from acltwin.golden.judge.rules import Outcome
from acltwin.golden.judge.rules.binary import binary
from acltwin.golden.judge.tolerance import Tolerance


def cosine(found: Array, expected: Array, dtype: str, tolerance: Tolerance | None = None) -> Outcome:
    if not facts(dtype).is_float:
        return binary(found, expected, dtype)
    actual, golden = float64(found).ravel(), float64(expected).ravel()
    peak = max(float(np.abs(actual).max(initial=0.0)), float(np.abs(golden).max(initial=0.0)))
    if peak == 0.0:
        return Outcome(True, "both are zero")
    with np.errstate(invalid="ignore"):
        a, g = actual / peak, golden / peak
        lengths = float(np.sqrt((a * a).sum()) * np.sqrt((g * g).sum()))
        angle = float((a * g).sum()) / lengths if lengths else 0.0
    needed = 1.0 - (tolerance or Tolerance.of(dtype)).rtol
    return Outcome(angle >= needed, f"cosine {angle:.6f} ({needed:g} needed)")
