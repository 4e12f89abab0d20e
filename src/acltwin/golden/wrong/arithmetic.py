"""Sums over groups and roundings: the right ones, and what the wrong ones are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import DTypeLike, NDArray

Array = NDArray[Any]
Places = NDArray[np.int64]
Total = Callable[[Array, Places, int], Array]
"""(values, targets, cells): value k belongs to cell ``targets[k]``; what each cell becomes."""

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
TOP = {np.dtype(np.float16): 65504.0, BFLOAT16: 2.0**127 * 1.9921875, np.dtype(np.float32): 2.0**127 * (2 - 2.0**-23)}


def wide(array: Array) -> Array:
    """As the numbers are added: 16-bit floating-point values as float32, all others as they are."""
    return array.astype(np.float32) if is_16_bit(array.dtype) else array


def is_16_bit(dtype: np.dtype[Any]) -> bool:
    return dtype == np.float16 or dtype == BFLOAT16


def is_float(array: Array) -> bool:
    return array.dtype == BFLOAT16 or array.dtype.kind == "f"


def through(array: Array, dtype: DTypeLike) -> Array:
    """Floating-point values as another type leaves them; integers as they are."""
    return array.astype(dtype).astype(array.dtype) if is_float(array) else array


def rounds(targets: Places) -> Iterator[Places]:
    """The pairs in rounds: no target twice in one round, and the k-th pair of each target in round k."""
    order = np.argsort(targets, kind="stable")
    ordered = targets[order]
    rank = np.arange(len(targets)) - np.searchsorted(ordered, ordered)
    by_rank = order[np.argsort(rank, kind="stable")]
    start = 0
    for end in np.cumsum(np.bincount(rank)).tolist():
        yield by_rank[start:end]
        start = end


def grouped(
    values: Array, targets: Places, cells: int, add: Callable[[Array, Array], Array] = np.add, start: float = 0.0
) -> Array:
    """Every cell begins with ``start`` and meets its values one by one, in order."""
    result = np.full((cells, *values.shape[1:]), start, values.dtype)
    for pairs in rounds(targets):
        cell = targets[pairs]
        result[cell] = add(result[cell], values[pairs])
    return result


running_sum: Total = grouped


def descending_sum(values: Array, targets: Places, cells: int) -> Array:
    return grouped(values[::-1], targets[::-1], cells)


def shuffled_sum(values: Array, targets: Places, cells: int) -> Array:
    order = np.random.default_rng(len(targets)).permutation(len(targets))
    return grouped(values[order], targets[order], cells)


def tree_sum(values: Array, targets: Places, cells: int) -> Array:
    """Neighbours are added two by two, then the pairs, and so on."""
    while True:
        groups = list(rounds(targets))
        if len(groups) < 2:
            return grouped(values, targets, cells)
        halves, ends = [], []
        for even, odd in zip(groups[::2], [*groups[1::2], np.zeros(0, np.int64)], strict=False):
            partner = np.full(cells, -1)
            partner[targets[odd]] = odd
            other = partner[targets[even]]
            both = values[even]
            both[other >= 0] += values[other[other >= 0]]
            halves.append(both)
            ends.append(targets[even])
        values, targets = np.concatenate(halves), np.concatenate(ends)


def float64_sum(values: Array, targets: Places, cells: int) -> Array:
    """The sum in float64; who takes it rounds it once."""
    return grouped(values.astype(np.float64), targets, cells)


def last_wins(values: Array, targets: Places, cells: int) -> Array:
    return grouped(values, targets, cells, add=lambda old, new: new)


def first_wins(values: Array, targets: Places, cells: int) -> Array:
    return last_wins(values[::-1], targets[::-1], cells)


def mean(values: Array, targets: Places, cells: int) -> Array:
    count = np.bincount(targets, minlength=cells).reshape(-1, *(1,) * (values.ndim - 1))
    return (grouped(values, targets, cells) / np.maximum(count, 1)).astype(values.dtype)


def rounded_total(dtype: np.dtype[Any]) -> Total:
    """A sum whose every partial sum is rounded."""

    def total(values: Array, targets: Places, cells: int) -> Array:
        return grouped(values, targets, cells, add=lambda old, new: through(old + new, dtype))

    return total


def without(lost: Callable[[Places], NDArray[np.bool_]], total: Total = running_sum) -> Total:
    """A sum without the values whose rank within their cell (0, 1, 2...) is lost."""

    def sum_of_the_rest(values: Array, targets: Places, cells: int) -> Array:
        rank = np.zeros(len(targets), np.int64)
        for number, pairs in enumerate(rounds(targets)):
            rank[pairs] = number
        kept = ~lost(rank)
        return total(values[kept], targets[kept], cells)

    return sum_of_the_rest


def nearest_even(values: Array, dtype: np.dtype[Any]) -> Array:
    """The right rounding."""
    return values.astype(dtype)


def toward_zero(values: Array, dtype: np.dtype[Any]) -> Array:
    """The neighbour that is not larger in magnitude."""
    result = values.astype(dtype)
    return _stepped(result, np.abs(_exact(result)) > np.abs(_exact(values)), -1)


def away_from_zero(values: Array, dtype: np.dtype[Any]) -> Array:
    """The neighbour that is not smaller in magnitude."""
    low = toward_zero(values, dtype)
    return _stepped(low, np.abs(_exact(low)) < np.abs(_exact(values)), 1)


def between(low: Array, high: Array, values: Array) -> NDArray[np.float64]:
    """How far a value lies from its lower neighbour towards the upper one: 0 to 1, 0 where both are the same."""
    bottom, top, value = (np.abs(_exact(array)) for array in (low, high, values))
    gap = np.where(np.isfinite(top), top - bottom, np.inf)
    return np.nan_to_num((value - bottom) / np.where(gap == 0, 1.0, gap))


def _exact(values: Array) -> NDArray[np.float64]:
    return values.astype(np.float64)


def _stepped(values: Array, where: NDArray[np.bool_], step: int) -> Array:
    """The next larger (1) or smaller (-1) magnitudes at some places, through the bits."""
    bits = values.view({2: np.int16, 4: np.int32, 8: np.int64}[values.dtype.itemsize]).copy()
    bits[where] += step
    return bits.view(values.dtype)
