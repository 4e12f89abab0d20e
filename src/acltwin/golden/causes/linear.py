"""Maps that are one matrix an axis, applied without letting infinities meet zeros."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import Array

Matrix = NDArray[np.float64]
"""(result, source) weights along one axis."""


def apply(matrices: Sequence[Matrix], x: Array) -> Array:
    """``x`` is (..., source axes); a zero weight takes nothing, not even from an infinity."""
    wide = x.astype(np.float64)
    strange = ~np.isfinite(wide)
    if not strange.any():
        return _finite_product(matrices, wide)
    result = _finite_product(matrices, np.where(strange, 0.0, wide))
    has_nan, has_plus, has_minus = (
        _product(matrices, sort.astype(np.float64)) > 0 for sort in (np.isnan(wide), wide == np.inf, wide == -np.inf)
    )
    result = np.where(has_plus, np.inf, np.where(has_minus, -np.inf, result))
    return np.where(has_nan | (has_plus & has_minus), np.nan, result)


def _finite_product(matrices: Sequence[Matrix], x: Array) -> Array:
    """Sums that overflow do so at the end: an infinity on the way would meet the zeros of the next axis."""
    spatial = tuple(range(x.ndim - len(matrices), x.ndim))
    peak = np.abs(x).max(axis=spatial, keepdims=True, initial=0.0)
    shrink = np.where(peak > 2.0**900, 2.0**-60, 1.0)  # a plane that is large has no denormal sums
    with np.errstate(over="ignore"):
        return _product(matrices, x * shrink) / shrink


def _product(matrices: Sequence[Matrix], x: Array) -> Array:
    first = x.ndim - len(matrices)
    for axis, matrix in enumerate(matrices, start=first):
        x = np.moveaxis(np.tensordot(x, matrix, axes=(axis, 1)), -1, axis)
    return x


def intervals(begin: NDArray[np.int64], end: NDArray[np.int64], size: int) -> Matrix:
    """Row i takes the sources from ``begin[i]`` to ``end[i] - 1``; what lies outside does not exist."""
    place = np.arange(size)
    return ((place >= begin[:, None]) & (place < end[:, None])).astype(np.float64)


def from_sources(source: NDArray[np.int64], size: int, gradient: bool) -> Matrix:
    """From the input cell of every output cell: a copy forward, a sum backward. -1 belongs to nothing."""
    legal = (source >= 0) & (source < size)
    forward = np.zeros((len(source), size))
    forward[np.flatnonzero(legal), source[legal]] = 1.0
    return forward.T if gradient else forward
