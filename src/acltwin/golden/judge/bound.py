"""The default rule, ``bound``: what any right float32 sum can be, and nothing else.

For every cell: the exact sum s, the sum of magnitudes A, the number of terms n, the quantum q of the plane. Adding in
any order, along any tree, errs by at most E = g(n - 1) A with g(k) = k u / (1 - k u); not at all if every partial sum
is exact. Rounding is monotone, so a right result lies between the roundings of s - E and s + E.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import Array, facts, rounded
from acltwin.golden.judge.expected import Expected

Accumulate = Literal["float32", "float64", "native"]
Overflow = Literal["inf", "saturate"]
Ties = Literal["any", "first"]


@dataclass(frozen=True)
class Bound:
    """The options of the rule; every verdict records them."""

    accumulate: Accumulate = "float32"  # "native": in the dtype itself, for kernels that are meant to
    ftz: bool = False  # results below the smallest normal number may be flushed to zero, at every step
    overflow: Overflow = "inf"  # "saturate": the largest finite number instead
    zero_sign: bool = False  # whether -0 and +0 differ
    ties: Ties = "any"  # which index of equal maxima is right; "first": the first maximum's, and the last NaN's

    def unit(self, dtype: str) -> float:
        """u: the relative error of one addition."""
        if self.accumulate == "native":
            return facts(dtype).unit
        return 2.0**-53 if dtype == "float64" or self.accumulate == "float64" else 2.0**-24

    def largest(self, dtype: str) -> float:
        """The largest sum that does not overflow on the way."""
        if self.accumulate == "native":
            return float(facts(dtype).largest)
        return float(facts("float64" if self.unit(dtype) == 2.0**-53 else "float32").largest)


@dataclass(frozen=True)
class Limits:
    """``low`` to ``high``, in the result's dtype; ``judged`` is false where no statement is possible."""

    low: Array
    high: Array
    error: NDArray[np.float64]  # E, 0 where only one value is right
    judged: NDArray[np.bool_]


def limits(expected: Expected, bound: Bound) -> Limits:
    value, dtype = expected.value, facts(expected.dtype)
    if not dtype.is_float:
        zeros = np.broadcast_to(np.float64(0), value.shape)
        return Limits(value, value, zeros, np.ones(value.shape, bool))
    error = error_of(expected, bound)
    with np.errstate(over="ignore", invalid="ignore"):
        return _limits(expected, bound, error)


def _limits(expected: Expected, bound: Bound, error: NDArray[np.float64]) -> Limits:
    value, dtype = expected.value, facts(expected.dtype)
    low = _result(value - error if error.any() else value, bound, dtype.dtype)
    high = _result(value + error, bound, dtype.dtype) if error.any() else low
    judged: NDArray[np.bool_] = np.ones(value.shape, bool)
    largest = bound.largest(expected.dtype)
    if expected.may_overflow(largest):
        judged = ~expected.order_matters(largest)
    return Limits(low, high, error, judged)


def error_of(expected: Expected, bound: Bound) -> NDArray[np.float64]:
    """E of every cell; 0 also where s is not finite, since only its place counts there."""
    unit = bound.unit(expected.dtype)
    value = expected.value
    if expected.errors is not None:
        error = expected.errors(unit)
    else:
        error = np.broadcast_to(np.float64(0), value.shape) if expected.is_exact(unit) else _higham(expected, unit)
    if bound.ftz:
        error = error + np.where(np.isfinite(value), expected.count * facts(expected.dtype).smallest_normal, 0.0)
    return np.asarray(error, np.float64)


def _higham(expected: Expected, unit: float) -> NDArray[np.float64]:
    """(g(n - 1) + n 2^-53) A; the last term is the error of s itself."""
    count, magnitude = expected.count.astype(np.intp), expected.magnitude
    with np.errstate(invalid="ignore", over="ignore"):
        error: NDArray[np.float64] = _factors(int(count.max(initial=0)), unit)[count]
        error *= magnitude
        error[magnitude <= expected.quantum / unit] = 0.0
    if not np.isfinite(error).all():
        error[~np.isfinite(expected.value)] = 0.0
    return error


def _factors(most: int, unit: float) -> NDArray[np.float64]:
    """Of 0 to ``most`` terms; none where there is nothing to add."""
    count = np.arange(most + 1)
    steps = (count - 1) * unit
    with np.errstate(divide="ignore"):
        factors = np.where(steps < 1, steps / (1 - steps), np.inf) + count * 2.0**-53
    return np.where(count > 1, factors, 0.0)


def _result(sums: NDArray[np.float64], bound: Bound, dtype: np.dtype[np.generic]) -> Array:
    result = rounded(sums, dtype)
    if bound.overflow == "saturate":
        largest = facts(dtype).largest
        finite = np.isfinite(sums)
        result = np.where(finite & np.isinf(result.astype(np.float64)), np.copysign(largest, sums), result)
        result = result.astype(dtype)
    return result
