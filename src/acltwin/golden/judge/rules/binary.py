"""``binary``: equal bits. Integers are judged by it under every rule."""

from __future__ import annotations

import numpy as np

from acltwin.golden.cases.dtypes import Array
from acltwin.golden.judge.rules import Outcome


def binary(found: Array, expected: Array, dtype: str) -> Outcome:
    bits = np.dtype(f"u{found.dtype.itemsize}")
    differ = int((np.ascontiguousarray(found).view(bits) != np.ascontiguousarray(expected).view(bits)).sum())
    return Outcome(differ == 0, f"{differ} of {found.size} elements differ in some bit")
