"""``mixed``: 99 % of the elements within atol + rtol |expected|, and no error above a limit."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from acltwin.golden.cases.dtypes import Array, facts, float64
from acltwin.golden.judge.rules import Outcome
from acltwin.golden.judge.rules.binary import binary

Table = Mapping[str, tuple[float, float, float]]  # dtype -> rtol, atol, limit

_TTK: Table = {
    "float16": (2.0**-9, 2.0**-9, 0.1),
    "bfloat16": (2.0**-6, 2.0**-6, 1.0),
    "float32": (2.0**-10, 2.0**-16, 1e-2),
}
_TILELANG: Table = {
    "float16": (2.0**-9, 2.0**-14, 0.1),
    "bfloat16": (2.0**-6, 2.0**-10, 1.0),
    "float32": (2.0**-10, 2.0**-16, 1e-2),
}
SHARE = 0.99


def ttk(found: Array, expected: Array, dtype: str) -> Outcome:
    return _mixed(_TTK, found, expected, dtype)


def tilelang(found: Array, expected: Array, dtype: str) -> Outcome:
    return _mixed(_TILELANG, found, expected, dtype)


def _mixed(table: Table, found: Array, expected: Array, dtype: str) -> Outcome:
    if not facts(dtype).is_float:
        return binary(found, expected, dtype)
    rtol, atol, limit = table.get(dtype, table["float32"])
    actual, golden = float64(found), float64(expected)
    with np.errstate(invalid="ignore"):
        error = np.abs(actual - golden)
        same = (actual == golden) | (np.isnan(actual) & np.isnan(golden))
        close = same | (error <= atol + rtol * np.abs(golden))
        largest = float(np.where(same, 0.0, error).max(initial=0.0))
    share = float(close.mean()) if close.size else 1.0
    detail = (
        f"{share:.2%} within {atol:g} + {rtol:g} |expected| (99 % needed), largest error {largest:g} (limit {limit:g})"
    )
    return Outcome(share >= SHARE and largest <= limit, detail)
