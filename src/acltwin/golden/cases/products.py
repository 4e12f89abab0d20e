"""Tables of weights, one along each axis, the sums that they give, and how far a right kernel's sums may be off."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import product as combinations_of
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import Array

Matrix = NDArray[np.float64]
UNIT = 2.0**-24  # weights are computed in float32, whatever the dtype


@dataclass(frozen=True)
class Table:
    """(results, sources) along one axis."""

    weights: Matrix
    doubt: Matrix  # how far a right weight may be from that; all 0 where every formula gives the same
    taps: NDArray[np.integer[Any] | np.bool_]  # how many terms a kernel may make of it, with a weight of 0 perhaps
    mixed: NDArray[np.bool_] | None = None  # where these terms may have both signs, or be 0: none if nowhere

    @property
    def reached(self) -> NDArray[np.bool_]:
        return self.taps > 0

    @property
    def sure(self) -> NDArray[np.bool_]:
        """Where an infinity goes into the result with the sign of the weight, whatever the terms are."""
        weighs: NDArray[np.bool_] = np.abs(self.weights) > self.doubt
        return weighs if self.mixed is None else weighs & ~self.mixed

    @property
    def transposed(self) -> Table:
        return Table(self.weights.T, self.doubt.T, self.taps.T, None if self.mixed is None else self.mixed.T)


def is_power(number: float) -> bool:
    """Of two."""
    return number != 0 and abs(math.frexp(number)[0]) == 0.5


Add = Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]]
Taps = tuple[NDArray[np.int64], NDArray[Any], NDArray[np.bool_]]
"""(results, taps): the sources of every cell along an axis, their weights, and which of them there are."""


def taps_of(weights: NDArray[np.float64], dtype: np.dtype[Any], descending: bool) -> Taps:
    used = weights != 0
    most = max(1, int(used.sum(1).max(initial=1)))
    order = np.argsort(~used, axis=1, kind="stable")[:, :most]
    there = np.take_along_axis(used, order, 1)
    found = np.take_along_axis(weights, order, 1).astype(dtype)
    return (order[:, ::-1], found[:, ::-1], there[:, ::-1]) if descending else (order, found, there)


def summed(values: NDArray[Any], taps: Sequence[Taps], add: Add) -> NDArray[Any]:
    """Over the sources along the axes behind the first two, one after the other."""
    rest = values.ndim - 2 - len(taps)
    shape = (*values.shape[:2], *(len(one[0]) for one in taps), *values.shape[2 + len(taps) :])
    total = np.zeros(shape, values.dtype)
    for chosen in combinations_of(*(range(one[0].shape[1]) for one in taps)):
        places = np.ix_(*(one[0][:, tap] for one, tap in zip(taps, chosen, strict=True)))
        share = reduce(np.multiply, np.ix_(*(one[1][:, tap] for one, tap in zip(taps, chosen, strict=True))))
        used = (one[2][:, tap].astype(np.int8) for one, tap in zip(taps, chosen, strict=True))
        there = reduce(np.logical_and, np.ix_(*used))
        share, there = (each.reshape(*each.shape, *(1,) * rest) for each in (share, there))
        index: Any = (slice(None), slice(None), *places)
        total = np.where(there, add(total, values[index] * share.astype(values.dtype)), total)
    return total


def product(matrices: Sequence[NDArray[Any]], x: NDArray[Any]) -> NDArray[np.float64]:
    """Along each of the last axes a matrix."""
    found = x.astype(np.float64)
    for axis, matrix in enumerate(matrices, start=x.ndim - len(matrices)):
        found = np.moveaxis(np.tensordot(found, matrix.astype(np.float64), axes=(axis, 1)), -1, axis)
    return found


def weighed(matrices: Sequence[Matrix], x: NDArray[np.float64]) -> NDArray[np.float64]:
    """A weight of 0 takes nothing, not even from an infinity; a negative one turns its sign."""
    strange = ~np.isfinite(x)
    spatial = tuple(range(x.ndim - len(matrices), x.ndim))
    finite = np.where(strange, 0.0, x)
    peak = np.abs(finite).max(axis=spatial, keepdims=True, initial=0.0)
    shrink = np.where(peak > 2.0**900, 2.0**-60, 1.0)  # sums that overflow do so at the end
    with np.errstate(over="ignore"):
        result = product(matrices, finite * shrink) / shrink
    if not strange.any():
        return result
    takes, signs = [matrix != 0 for matrix in matrices], [np.sign(matrix) for matrix in matrices]
    infinite = np.where(np.isinf(x), np.sign(x), 0.0)
    count, balance = product(takes, np.abs(infinite)), product(signs, np.nan_to_num(infinite))
    plus, minus = count + balance > 0.5, count - balance > 0.5
    result = np.where(plus, np.inf, np.where(minus, -np.inf, result))
    return np.where((plus & minus) | (product(takes, np.isnan(x)) > 0.5), np.nan, result)


def quantum(tables: Sequence[Table]) -> float:
    """A power of two that divides every weight of which there is no doubt; 0 if there is none."""
    found = 1.0
    for table in tables:
        weights = np.abs(table.weights[~table.doubt.any(1)])
        numbers = np.rint(weights[weights != 0] * 2.0**24).astype(np.int64)
        found *= int((numbers & -numbers).min(initial=2**24)) * 2.0**-24 if len(numbers) else 0.0
    return found


# ---- what a right kernel can return ----

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Weighing:
    """What a right kernel can return whose results are weighted sums: weights are rounded too, and may be 0.

    A kernel computes weights by a formula of its own, so each may be off by its doubt; then it multiplies and adds.
    With W the weights, D their doubts and n terms, E = (|W| + D)|x| - |W||x| + g(n + 2 k) (|W| + D)|x| along k axes.
    ``values`` are channels first, in float64; ``coarseness`` is what divides all values of a plane.
    """

    values: Array
    tables: Sequence[Table]
    coarseness: Floats

    @cached_property
    def sums(self) -> Floats:
        return weighed([table.weights for table in self.tables], self.values)

    @cached_property
    def magnitude(self) -> Floats:
        return product([np.abs(table.weights) for table in self.tables], self._finite)

    @cached_property
    def count(self) -> Floats:
        ones = np.ones((1,) * (self.values.ndim - len(self.tables)) + self.values.shape[-len(self.tables) :])
        counted = product([table.taps for table in self.tables], ones)
        return np.broadcast_to(counted, self.sums.shape)

    @cached_property
    def _finite(self) -> Floats:
        return np.where(np.isfinite(self.values), np.abs(self.values), 0.0)

    @cached_property
    def _upper(self) -> Floats:
        """The same as the magnitude, with all doubts against us."""
        return product([np.abs(table.weights) + table.doubt for table in self.tables], self._finite)

    @cached_property
    def _certain(self) -> NDArray[np.bool_]:
        axes = len(self.tables)
        rows = [~table.doubt.any(1).reshape(-1, *(1,) * (axes - 1 - axis)) for axis, table in enumerate(self.tables)]
        return np.asarray(reduce(np.logical_and, rows))

    def error(self, unit: float) -> Floats:
        """E; 0 where every order of the additions is exact."""
        smallest = 2.0**-1074 if unit == 2.0**-53 else 2.0**-149
        steps = (self.count + 2 * len(self.tables)) * unit
        with np.errstate(invalid="ignore", over="ignore"):
            error = self._upper - self.magnitude + steps / (1 - np.minimum(steps, 0.5)) * self._upper
            error = error + self.count * (2.0**-52 * self.magnitude + smallest)
            step = quantum(self.tables) * self.coarseness
            exact = self._certain & (self.magnitude <= step / unit) & (step >= smallest)
        return np.where(exact | ~np.isfinite(self.sums) | ~np.isfinite(error), 0.0, error)

    def open(self, largest: float) -> NDArray[np.bool_]:
        """Where nothing can be said: sums may overflow on the way, or special values have a weight that may be 0."""
        strange = ~np.isfinite(self.values)
        heights = [np.maximum(np.abs(table.weights) + table.doubt, table.taps) for table in self.tables]
        with np.errstate(over="ignore", invalid="ignore"):  # after some axes, or before the division
            beyond = ~(product(heights, self._finite) * (1 + 2.0**-8) <= largest)
        if not strange.any():
            return beyond
        reached = product([table.reached for table in self.tables], strange)
        sure = product([table.sure for table in self.tables], strange)
        return np.asarray(beyond | (np.rint(reached) != np.rint(sure)))
