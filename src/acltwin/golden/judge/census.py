"""Counting cells, and finding the worst of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import Array, facts, float64
from acltwin.golden.judge.verdict import Cell, Census

WORST = 20


def census_of(found: Array, target: Array, wrong: NDArray[np.bool_]) -> Census:
    """``target`` are the expected values; they may be more exact than the dtype of what was found."""
    (nan_found, inf_found), (nan_expected, inf_expected) = _strange(found), _strange(target)
    y, best = float64(found[wrong]), float64(target[wrong])
    finite = np.isfinite(y) & np.isfinite(best)
    with np.errstate(over="ignore"):  # the largest numbers of both signs
        error = np.abs(y[finite] - best[finite])
    return Census(
        cells=int(wrong.size),
        wrong=len(y),
        nan_expected=nan_expected,
        nan_found=nan_found,
        inf_expected=inf_expected,
        inf_found=inf_found,
        largest_error=float(error.max(initial=0.0)),
        largest_ulps=float(ulps(y[finite], best[finite], found.dtype).max(initial=0.0)),
        zero_instead=int((y == 0).sum()),
    )


def _strange(values: Array) -> tuple[int, int]:
    """How many NaN and infinities there are: mostly none, which one look tells."""
    with np.errstate(invalid="ignore"):  # signalling NaN
        if not facts(values.dtype).is_float or np.isfinite(values).all():
            return 0, 0
    wide = float64(values)
    return int(np.isnan(wide).sum()), int(np.isinf(wide).sum())


def worst_of(
    found: Array, target: Array, wrong: NDArray[np.bool_], low: Array, high: Array, result: int = 0
) -> tuple[Cell, ...]:
    """The wrong cells with the largest errors, those that are not finite first."""
    places = np.flatnonzero(wrong)
    y, best = (float64(np.broadcast_to(values, wrong.shape).ravel()[places]) for values in (found, target))
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(y - best)
    distance = ulps(y, best, found.dtype)
    order = np.argsort(np.where(np.isfinite(error), -error, -np.inf), kind="stable")[:WORST]
    cells = []
    for which in order:
        index = tuple(int(axis) for axis in np.unravel_index(places[which], wrong.shape))
        limits = (float(low[index]), float(high[index]))
        cells.append(Cell(index, result, float(best[which]), *limits, float(y[which]), float(distance[which])))
    return tuple(cells)


def ulps(found: NDArray[np.float64], target: NDArray[np.float64], dtype: np.dtype[Any]) -> NDArray[np.float64]:
    """|found - target| in units of the last place of the target in ``dtype``; of integers: the difference."""
    fact = facts(dtype)
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.abs(found - target)
        if not fact.is_float:
            return distance
        size = np.where(np.isfinite(target), np.abs(target), 1.0)
        exponent = np.frexp(np.maximum(size, fact.smallest_normal))[1]
        return np.asarray(distance / np.ldexp(1.0, exponent - fact.bits), np.float64)
