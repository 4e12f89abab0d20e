"""What a right kernel can return whose results are weighted sums: weights are rounded too, and may be 0.

A kernel computes weights by a formula of its own, so each may be off by its doubt; then it multiplies and adds. With
W the weights, D their doubts and n terms, E = (|W| + D)|x| - |W||x| + g(n + 2 k) (|W| + D)|x| along k axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import Array
from acltwin.golden.cases.products import Table, product, quantum, weighed

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Weighing:
    """``values`` are channels first, in float64; ``coarseness`` is what divides all values of a plane."""

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
        counted = product([table.reached for table in self.tables], ones)
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
        heights = [np.maximum(np.abs(table.weights) + table.doubt, table.reached) for table in self.tables]
        with np.errstate(over="ignore", invalid="ignore"):  # after some axes, or before the division
            beyond = ~(product(heights, self._finite) * (1 + 2.0**-8) <= largest)
        if not strange.any():
            return beyond
        reached = product([table.reached for table in self.tables], strange)
        sure = product([np.abs(table.weights) > table.doubt for table in self.tables], strange)
        return np.asarray(beyond | (np.rint(reached) != np.rint(sure)))
