"""What kernels here are made of: sums over groups and roundings, right and wrong, and the call as they see it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import DTypeLike, NDArray

from acltwin.golden.cases.dtypes import is_channels_last, planes_first
from acltwin.golden.cases.family import along, family_of, flowing_name
from acltwin.ops import OPERATORS, OpSpec

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


def ties(values: Array, dtype: np.dtype[Any], away: bool) -> Array:
    """Ties are rounded away from zero, or towards it, instead of to even."""
    low, high = toward_zero(values, dtype), away_from_zero(values, dtype)
    return np.where(between(low, high, values) == 0.5, high if away else low, nearest_even(values, dtype))


def _exact(values: Array) -> NDArray[np.float64]:
    return values.astype(np.float64)


def _stepped(values: Array, where: NDArray[np.bool_], step: int) -> Array:
    """The next larger (1) or smaller (-1) magnitudes at some places, through the bits."""
    bits = values.view({2: np.int16, 4: np.int32, 8: np.int64}[values.dtype.itemsize]).copy()
    bits[where] += step
    return bits.view(values.dtype)


# ---- a call of an operator as the wrong implementations see it: planes first, whatever the format ----


@dataclass(frozen=True)
class Call:
    """What comes in. ``values`` are (N, C, ...) in every format; N is 1 where the operator has no such axis.

    Pooling and unpooling see (N, C, D, H, W) with a D of 1 where the operator has none.
    """

    spec: OpSpec
    raw: Array  # the tensor of values as it was given
    values: Array
    arguments: dict[str, Any]
    channels_last: bool = False
    indices: Places | None = None  # (N, C, ...) too
    input: Array | None = None  # of a gradient that gets it: (N, C, ...)

    @property
    def batch(self) -> tuple[int, int]:
        return self.values.shape[0], self.values.shape[1]

    @property
    def plane(self) -> tuple[int, ...]:
        """The sizes of the plane in which indices name places."""
        if "output_size" in self.arguments and self.indices is not None:  # of an unpooling
            return self.lifted(tuple(int(size) for size in self.arguments["output_size"]), 1)
        return (self.values if self.input is None else self.input).shape[2:]

    @property
    def windows(self) -> tuple[int, ...]:
        """How many there are along each axis of a pooling to a given size."""
        if self.spec.is_gradient:
            return self.values.shape[2:]
        return self.lifted(along(self.arguments["output_size"], len(self.spec.axes)), 1)

    def lifted(self, numbers: tuple[int, ...], missing: int) -> tuple[int, ...]:
        """A number for each axis of ``values``; ``missing`` for axes that the operator does not have."""
        return (missing,) * (self.values.ndim - 2 - len(numbers)) + numbers

    def restored(self, result: Array) -> Array:
        """A result (N, C, ...) in the shape and format that the caller expects."""
        spatial = len(self.spec.axes)
        if self.channels_last:
            flat = result.reshape(*result.shape[:2], *result.shape[-spatial:])
            return np.ascontiguousarray(np.moveaxis(flat, 1, -1))
        return result.reshape(*self.raw.shape[: self.raw.ndim - spatial], *result.shape[-spatial:])


Read = Callable[[Array, Call], Array]
"""What a kernel reads instead of the values."""
Alter = Callable[[Array, Call], Array]
"""What a kernel writes instead of a right result (N, C, ...)."""
Renumber = Callable[[Places, Call], Places]
"""What a kernel uses instead of the indices (N, C, ...)."""


def unchanged(values: Array, call: Call) -> Array:
    return values


def parse(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Call:
    spec = OPERATORS[operator]
    order = str(arguments.get("data_format", ""))
    by_role = {
        argument.holds: _lifted(planes_first(tensors[argument.python_name], order), spec)
        for argument in spec.inputs
        if argument.kind == "tensor"
    }
    return Call(
        spec,
        tensors[flowing_name(spec)],
        by_role["values"],
        dict(arguments),
        is_channels_last(order),
        by_role["indices"].astype(np.int64) if "indices" in by_role else None,
        by_role.get("shape"),
    )


def _lifted(array: Array, spec: OpSpec) -> Array:
    spatial = len(spec.axes)
    batch, plane = array.shape[:-spatial], array.shape[-spatial:]
    lifted = spatial if family_of(spec).by_axes else 3
    return array.reshape(*(1,) * (2 - len(batch)), *batch, *(1,) * (lifted - spatial), *plane)


def flat_planes(array: Array) -> Array:
    """(N, C, ...) as (planes, cells)."""
    return array.reshape(array.shape[0] * array.shape[1], math.prod(array.shape[2:]))


def everywhere(places: Places, cells: int) -> Places:
    """Places (planes, elements) counted through all planes of so many cells."""
    return np.asarray(places + cells * np.arange(len(places))[:, None])
