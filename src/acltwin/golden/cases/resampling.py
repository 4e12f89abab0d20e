"""Linear and cubic resampling: along each axis a table of weights, with every decision of the rule open."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import facts, rounded
from acltwin.golden.cases.products import UNIT, Matrix, Table, is_power
from acltwin.reference._resample import _used_scales

ROUNDINGS = 6  # of a position: three by the documented formula, three by another right one
WEIGHT_ROUNDINGS = 8  # of a polynomial of the third degree


@dataclass(frozen=True)
class Resampling:
    """Linear and cubic resampling. ``along``: deviations hold along these axes alone."""

    cubic: bool
    antialias: bool
    gradient: bool
    align: bool
    policy: str
    scales: tuple[float, ...]
    last: bool  # channels
    double: bool = False  # positions are computed in float64
    torch: bool = False
    fused: bool = False  # product and difference of a position round once, as PyTorch's do
    along: tuple[int, ...] | None = None
    plain: Resampling | None = None  # the documented rule
    place: Literal["documented", "cells", "centres", "whole", "half up"] = "documented"
    ratio: Literal["sizes", "inverted", "corners", "floor", "ceil", "round"] = "sizes"
    given: Literal["documented", "ignored", "each", "inverted", "swapped", "first"] = "documented"
    mode: Literal["documented", "nearest", "linear", "cubic", "mean"] = "documented"
    a: float | None = None
    border: Literal["documented", "extrapolated", "zero", "wrapped", "mirrored", "short", "dropped"] = "documented"
    scaled: bool = True  # whether the support grows where the tensor shrinks
    normalised: bool = True
    fraction: Literal["documented", "swapped", "squared", "bits8"] = "documented"
    shared: bool = False  # of a gradient: divided by the sum of its weights
    truncated: bool = False  # positions below 0 are cut off towards 0
    precision: str = ""  # the dtype of the weights
    places: str = ""  # the dtype of the positions
    equal: Literal["documented", "computed", "copied"] = "documented"  # axes that keep their size

    def tables(self, source: Sequence[int], result: Sequence[int]) -> list[Table]:
        backwards = self.plain.gradient if self.plain is not None else self.gradient
        if backwards and not self.gradient:  # the gradient, resampled
            return replace(self, scales=(0.0,) * len(source)).tables_from(tuple(source), tuple(result))
        return self.tables_from(source, result)

    def tables_from(self, source: Sequence[int], result: Sequence[int]) -> list[Table]:
        small, large = (tuple(result), tuple(source)) if self.gradient else (tuple(source), tuple(result))
        scales = self._used(small, large)
        found = []
        for axis, (n, out) in enumerate(zip(small, large, strict=True)):
            copies = n == out and self._copies(small == large)
            found.append(
                _copied(n) if copies else _resampled(replace(self, scales=(), plain=None), n, out, scales[axis])
            )
        found = [table.transposed for table in found] if self.gradient else found
        if self.shared:
            totals = [table.weights.sum(1, keepdims=True) for table in found]
            shares = [np.where(total == 0, 1.0, 1 / np.where(total == 0, 1.0, total)) for total in totals]
            found = [
                replace(table, weights=table.weights * share, doubt=4 * UNIT + table.doubt * share)
                for table, share in zip(found, shares, strict=True)
            ]
        if self.along is not None and self.plain is not None:
            plain = self.plain.tables(source, result)
            return [one if axis in self.along else plain[axis] for axis, one in enumerate(found)]
        return found

    def _used(self, small: tuple[int, ...], large: tuple[int, ...]) -> list[float]:
        """0 where the sizes decide."""
        scales = list(self.scales)
        if self.given == "ignored":
            return [0.0] * len(scales)
        if self.given == "swapped":
            scales.reverse()
        if self.given == "first":
            scales = scales[:1] * len(scales)
        policy = "each" if self.given == "each" else self.policy
        used = _used_scales("torch" if self.torch else "device", policy, scales, small, large, self.last)
        kept = [float(scale) if scale is not None and scale > 0 else 0.0 for scale in used]
        return [1.0 / scale if scale and self.given == "inverted" else scale for scale in kept]

    def _copies(self, all_equal: bool) -> bool:
        if self.equal != "documented":
            return self.equal == "copied"
        if self.torch and not self.cubic:
            return True
        return not (self.gradient or self.torch) or self.antialias or (self.gradient and self.cubic and all_equal)

    def step(self, n: int, out: int, scale: float) -> Any:
        real = np.float64 if self.double else np.float32
        if self.align or self.ratio == "corners":
            return real(n - 1) / real(out - 1) if out > 1 else real(0)
        if scale:
            return real(1.0 / scale)
        if self.ratio in ("floor", "ceil", "round"):
            factors = {"floor": math.floor(out / n), "ceil": math.ceil(out / n), "round": round(out / n)}
            return real(1.0) / real(max(factors[self.ratio], 1))
        return real(out) / real(n) if self.ratio == "inverted" else real(n) / real(out)

    def kernel(self, x: Matrix) -> Matrix:
        """The weight at a distance."""
        cubic = self.cubic if self.mode in ("documented", "nearest", "mean") else self.mode == "cubic"
        x = np.abs(x)
        if not cubic:
            return np.maximum(0.0, 1 - x)
        a = self.a if self.a is not None else -0.5 if self.antialias else -0.75
        near, far = ((a + 2) * x - (a + 3)) * x * x + 1, ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
        return np.where(x <= 1, near, np.where(x < 2, far, 0.0))

    @property
    def radius(self) -> int:
        if self.mode in ("linear", "cubic"):
            return 2 if self.mode == "cubic" else 1
        return 2 if self.cubic else 1


def _copied(n: int) -> Table:
    return Table(np.eye(n), np.zeros((n, n)), np.eye(n, dtype=bool))


@lru_cache(maxsize=64)
def _resampled(rule: Resampling, n: int, out: int, scale: float) -> Table:
    """(output cells, input cells)."""
    with np.errstate(all="ignore"):
        step = rule.step(n, out, scale)
        table = _smoothed(rule, n, out, step) if rule.antialias else _interpolated(rule, n, out, step)
    if rule.precision:
        weights = rounded(table.weights, facts(rule.precision).dtype).astype(np.float64)
        table = replace(table, weights=weights, doubt=np.zeros_like(weights))
    return table


def _places(rule: Resampling, out: int, step: Any) -> NDArray[Any]:
    """Where output cells lie, as the operators compute it: every operation rounds."""
    real: Any = np.float64 if rule.double else np.float32
    o: NDArray[Any] = np.arange(out).astype(real)
    half, align = real(0.5), rule.align
    place: NDArray[Any]
    if rule.place == "cells" or (align and rule.place == "documented"):
        place = step * o
    elif rule.place == "centres":
        place = step * (o + half)
    elif rule.torch or rule.fused:
        wide = np.longdouble if rule.double else np.float64
        place = ((wide(step) * (o + half).astype(wide)) - wide(0.5)).astype(real)
    else:
        place = step * (o + half) - half
    if rule.place in ("whole", "half up"):
        place = np.floor(place + (half if rule.place == "half up" else real(0)))
    return rounded(place.astype(np.float64), facts(rule.places).dtype).astype(real) if rule.places else place


def _is_exact(rule: Resampling, step: float) -> bool:
    """Whether every formula gives the same weights: positions and polynomials have few bits."""
    return step == 0 or (is_power(step) and step >= 2.0 ** (-6 if rule.cubic else -12))


def _interpolated(rule: Resampling, n: int, out: int, step: Any) -> Table:
    place = _places(rule, out, step)
    radius, real = rule.radius, place.dtype.type
    if radius == 1 and rule.border != "extrapolated":
        place = np.maximum(place, real(0))
    floor = np.trunc(place) if rule.truncated else np.floor(place.astype(np.float32))
    cell = np.minimum(floor.astype(np.int64), n - 1)
    part = (place - cell.astype(real)).astype(np.float64)
    if rule.border != "extrapolated":
        part = np.clip(part, 0, 1)
    else:
        cell = np.clip(cell, 0, max(n - 2, 0))
        part = place.astype(np.float64) - cell
    part = {"swapped": 1 - part, "squared": part * part, "bits8": np.floor(part * 256) / 256}.get(rule.fraction, part)
    if rule.mode in ("nearest", "mean"):
        part = np.floor(part + 0.5) if rule.mode == "nearest" else np.where(part > 0, 0.5, 0.0)
    weights, near = np.zeros((out, n)), np.zeros((out, n), bool)
    taps, signs = np.zeros((2, out, n), np.int64)
    rows = np.arange(out)
    for tap in range(-radius, radius + 2):  # and one more on both sides, where positions may be rounded to
        near[rows, np.clip(cell + tap, 0, n - 1)] = True
    single = (1.0 - part).astype(np.float32).astype(np.float64) if radius == 1 and not rule.double else 1 - part
    for tap in range(1 - radius, radius + 1):
        weight = (part if tap else single) if radius == 1 else rule.kernel(part - tap)
        index = cell + tap
        inside = (index >= 0) & (index < n)
        if rule.border in ("zero", "dropped"):
            weight = np.where(inside, weight, 0.0)
        index = {
            "wrapped": index % n,
            "mirrored": np.where(index < 0, -index, np.where(index >= n, 2 * n - 2 - index, index)),
            "short": np.minimum(index, max(n - 2, 0)),
        }.get(rule.border, index)
        index = np.clip(index, 0, n - 1)
        weights[rows, index] += weight
        taps[rows, index] += 1
        signs[rows, index] += np.sign(weight).astype(np.int64)
    doubt = np.zeros((out, n))
    if not _is_exact(rule, float(step)):
        moved = ROUNDINGS * UNIT * (np.abs(place.astype(np.float64)) + 1) * (1 if radius == 1 else 2)
        doubt = np.where(near, moved[:, None] + (0 if radius == 1 else WEIGHT_ROUNDINGS * UNIT), 0.0)
    return Table(weights, doubt, np.maximum(taps, doubt > 0), np.abs(signs) < taps)


def _smoothed(rule: Resampling, n: int, out: int, step: Any) -> Table:
    """The weights of a support that grows where the tensor shrinks, divided by their sum."""
    real = type(step)
    o: NDArray[Any] = np.arange(out).astype(real)
    half = real(0.5)
    middle: NDArray[Any] = step * o + half if rule.place == "cells" else step * (o + half)
    if rule.place == "centres":
        middle = middle + half
    wide = max(step, real(1)) if rule.scaled else real(1)
    support, inverse = real(rule.radius) * wide, real(1) / wide
    first = np.maximum(middle - support + half, 0).astype(np.int64)
    last = np.minimum(middle + support + half, n).astype(np.int64)
    i = np.arange(n)
    reached = (i >= first[:, None]) & (i < last[:, None])
    x = ((i.astype(real) - middle[:, None] + half) * inverse).astype(np.float64)
    weights = np.where(reached, rule.kernel(x), 0.0)
    if rule.border == "documented":
        total = weights.sum(1, keepdims=True)
    else:  # as if all of the support were inside
        around = np.arange(-math.ceil(support) - 1, n + math.ceil(support) + 1).astype(real)
        total = rule.kernel(((around - middle[:, None] + half) * inverse).astype(np.float64)).sum(1, keepdims=True)
    total = np.where(total == 0, 1.0, total)
    if rule.normalised:
        weights = weights / total
    slope, constant = (1, 0) if rule.radius == 1 else (2, WEIGHT_ROUNDINGS * UNIT)
    moved = slope * ROUNDINGS * UNIT * (np.abs(middle.astype(np.float64)) + 1)[:, None] * float(inverse) + constant
    near = (i >= first[:, None] - 1) & (i <= last[:, None])
    exact = np.array([is_power(value) for value in total[:, 0]]) if rule.radius == 1 else np.zeros(out, bool)
    exact &= _is_exact(rule, float(step))
    doubt = np.where(near, moved / np.abs(total), 0.0)
    doubt = doubt + np.abs(weights) * (doubt.sum(1, keepdims=True) + (last - first + 4)[:, None] * UNIT)
    doubt = np.where(exact[:, None], 0.0, doubt)
    return Table(weights, doubt, reached | (doubt > 0))
