"""Linear and cubic resampling: along each axis a table of weights, with every decision of the rule open."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
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


RATIOS: Mapping[str, Callable[[int, int], tuple[int, int]]] = {
    "sizes": lambda n, out: (n, out),
    "inverted": lambda n, out: (out, n),
    "corners": lambda n, out: (n - 1, out - 1),
    "corners inverted": lambda n, out: (out - 1, n - 1),
    "corners of the input": lambda n, out: (n - 1, out),
    "corners of the output": lambda n, out: (n, out - 1),
}
"""What a ratio of sizes divides, and by what."""
POLICIES = ("each", "fit", "all", "all fit")  # which of the given scales are used


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
    place: Literal["documented", "cells", "centres", "late", "halves", "whole", "half up"] = "documented"
    ratio: str = "sizes"  # a key of RATIOS, or how the factor is made whole: "floor", "ceil" or "round"
    aligned_ratio: str = "corners"  # the same, where corners are aligned
    order: tuple[int, ...] = ()  # which axis an axis has its ratio and scale from
    given: str = "documented"  # or "ignored", "inverted", "swapped", "first", "aligned" (there too), or a policy
    mode: Literal["documented", "nearest", "linear", "cubic", "mean", "box", "spline"] = "documented"
    a: float | None = None
    border: Literal["documented", "extrapolated", "zero", "clamped", "wrapped", "mirrored", "repeated", "short"] = (
        "documented"
    )
    scaled: bool = True  # whether the support grows where the tensor shrinks
    support: Literal["documented", "shrinks", "alone", "halved", "whole"] = "documented"  # what else it does
    halves: tuple[float, float] = (0.5, 0.5)  # added to the ends of a support before they are cut off
    moved: float = 0.0  # the distances from cells, in cells
    normalised: bool = True
    total: Literal["sum", "scale", "count", "magnitudes"] = "sum"  # what weights are divided by
    fraction: str = "documented"  # or "swapped", "squared", "smooth", "bits8" (cut off), "round8"
    shared: bool = False  # of a gradient: divided by the sum of its weights
    truncated: bool = False  # positions below 0 are cut off towards 0
    free: bool = False  # neither positions nor fractions are clamped
    precision: str = ""  # the dtype of the weights; "dtype": that of the tensor, if it has 16 bits
    early: bool = False  # that is the dtype of what weights are made from: the fraction, or those not normalised
    places: str = ""  # the dtype of the positions
    dtype: str = ""  # of the tensor
    equal: Literal["documented", "computed", "copied"] = "documented"  # axes that keep their size

    def tables(self, source: Sequence[int], result: Sequence[int]) -> list[Table]:
        backwards = self.plain.gradient if self.plain is not None else self.gradient
        if backwards and not self.gradient:  # the gradient, resampled
            return replace(self, scales=(0.0,) * len(source)).tables_from(tuple(source), tuple(result))
        return self.tables_from(source, result)

    def tables_from(self, source: Sequence[int], result: Sequence[int]) -> list[Table]:
        small, large = (tuple(result), tuple(source)) if self.gradient else (tuple(source), tuple(result))
        scales = self._used(small, large)
        found, alone = [], replace(self, scales=(), plain=None, order=())
        for axis, (n, out) in enumerate(zip(small, large, strict=True)):
            other = self.order[axis] if self.order else axis
            copies = n == out and self._copies(small == large)
            with np.errstate(all="ignore"):
                step = self.step(small[other], large[other], scales[other])
            found.append(_copied(n) if copies else _resampled(alone, n, out, step))
        found = [table.transposed for table in found] if self.gradient else found
        found = [_shared(table) for table in found] if self.shared else found
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
        other = self.given in POLICIES
        rule = "torch" if self.torch and not other else "device"
        used = _used_scales(rule, self.given if other else self.policy, scales, small, large, self.last)  # type: ignore[arg-type]
        kept = [float(scale) if scale is not None and scale > 0 else 0.0 for scale in used]
        return [1.0 / scale if scale and self.given == "inverted" else scale for scale in kept]

    def _copies(self, all_equal: bool) -> bool:
        if self.equal != "documented":
            return self.equal == "copied"
        if self.torch and not self.cubic:
            return True
        return not (self.gradient or self.torch) or self.antialias or (self.gradient and self.cubic and all_equal)

    def step(self, n: int, out: int, scale: float) -> Any:
        """From one output cell to the next, in cells of the input."""
        real = np.float64 if self.double else np.float32
        ratio = self.aligned_ratio if self.align else self.ratio
        if scale and (self.given == "aligned" if self.align else ratio != "corners"):
            return real(1.0 / scale)
        if ratio in ("floor", "ceil", "round"):
            factors = {"floor": math.floor(out / n), "ceil": math.ceil(out / n), "round": round(out / n)}
            return real(1.0) / real(max(factors[ratio], 1))
        over, under = RATIOS[ratio](n, out)
        return real(over) / real(under) if under else real(0)

    def kernel(self, x: Matrix) -> Matrix:
        """The weight at a distance."""
        cubic = self.cubic if self.mode in ("documented", "nearest", "mean") else self.mode == "cubic"
        x = np.abs(x)
        if self.mode == "box" or (self.mode == "mean" and self.antialias):
            return np.where(x <= 0.5, 1.0, 0.0) if self.mode == "box" else np.ones_like(x)
        if self.mode == "spline":
            return np.where(x <= 1, 2 / 3 - x * x + x**3 / 2, np.maximum(2 - x, 0.0) ** 3 / 6)
        if not cubic:
            return np.maximum(0.0, 1 - x)
        a = self.a if self.a is not None else -0.5 if self.antialias else -0.75
        near, far = ((a + 2) * x - (a + 3)) * x * x + 1, ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
        return np.where(x <= 1, near, np.where(x < 2, far, 0.0))

    @property
    def radius(self) -> int:
        if self.mode in ("linear", "cubic", "spline"):
            return 1 if self.mode == "linear" else 2
        return 2 if self.cubic else 1


def _shared(table: Table) -> Table:
    total = table.weights.sum(1, keepdims=True)
    total = np.where(total == 0, 1.0, total)
    doubt = table.doubt + np.abs(table.weights) * (table.doubt.sum(1, keepdims=True) / np.abs(total) + 4 * UNIT)
    return replace(table, weights=table.weights / total, doubt=doubt / np.abs(total))


def _copied(n: int) -> Table:
    return Table(np.eye(n), np.zeros((n, n)), np.eye(n, dtype=bool))


@lru_cache(maxsize=64)
def _resampled(rule: Resampling, n: int, out: int, step: Any) -> Table:
    """(output cells, input cells)."""
    with np.errstate(all="ignore"):
        table = _smoothed(rule, n, out, step) if rule.antialias else _interpolated(rule, n, out, step)
    if rule.early:
        return table
    weights, doubt = _held(rule, rule.precision, table.weights, table.doubt)
    return replace(table, weights=weights, doubt=doubt)


def _held(rule: Resampling, precision: str, values: Matrix, doubt: Matrix) -> tuple[Matrix, Matrix]:
    """In the bits of a dtype of 16, if it is one; what is in doubt may then be a step off."""
    name = rule.dtype if precision == "dtype" else precision
    if name not in ("float16", "bfloat16"):
        return values, doubt
    low, held, high = (rounded(values + sign * doubt, facts(name).dtype).astype(np.float64) for sign in (-1, 0, 1))
    return held, np.maximum(high - held, held - low)


def _places(rule: Resampling, out: int, step: Any) -> NDArray[Any]:
    """Where output cells lie, as the operators compute it: every operation rounds."""
    real: Any = np.float64 if rule.double else np.float32
    o: NDArray[Any] = np.arange(out).astype(real)
    half, align = real(0.5), rule.align
    place: NDArray[Any]
    if rule.place == "cells" or (align and rule.place not in ("late", "centres", "halves")):
        place = step * o
    elif rule.place == "late":
        place = step * o - half
    elif rule.place == "centres":
        place = step * (o + half)
    elif rule.torch or rule.fused:
        wide = np.longdouble if rule.double else np.float64
        place = ((wide(step) * (o + half).astype(wide)) - wide(0.5)).astype(real)
    else:
        place = step * (o + half) - half
    if rule.place in ("whole", "half up"):
        place = np.floor(place + (half if rule.place == "half up" else real(0)))
    return _placed(rule, place)


def _placed(rule: Resampling, place: NDArray[Any]) -> NDArray[Any]:
    exact = np.zeros(place.shape)
    return _held(rule, rule.places, place.astype(np.float64), exact)[0].astype(place.dtype) if rule.places else place


def _is_exact(rule: Resampling, step: float) -> bool:
    """Whether every formula gives the same weights: positions and polynomials have few bits."""
    return step == 0 or (is_power(step) and step >= 2.0 ** (-6 if rule.cubic else -12))


def _interpolated(rule: Resampling, n: int, out: int, step: Any) -> Table:
    place = _places(rule, out, step)
    radius, real = rule.radius, place.dtype.type
    clamps = rule.border != "extrapolated" and not rule.free
    if radius == 1 and clamps:
        place = np.maximum(place, real(0))
    floor = np.trunc(place) if rule.truncated else np.floor(place.astype(np.float32))
    cell = np.minimum(floor.astype(np.int64), n - 1)
    if rule.border == "extrapolated":
        cell = np.clip(cell, 0, max(n - 2, 0))
        part = place.astype(np.float64) - cell
    else:
        part = (place - cell.astype(real)).astype(np.float64)
        part = np.clip(part, 0, 1) if clamps else part
    part = _fraction(rule, part)
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
        if rule.border == "zero":
            weight = np.where(inside, weight, 0.0)
        index = {
            "wrapped": index % n,
            "mirrored": np.where(index < 0, -index, np.where(index >= n, 2 * n - 2 - index, index)),
            "repeated": np.where(index < 0, -1 - index, np.where(index >= n, 2 * n - 1 - index, index)),
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


def _fraction(rule: Resampling, part: Matrix) -> Matrix:
    how = rule.fraction.rstrip("0123456789")
    steps = 2.0 ** int(rule.fraction[len(how) :] or 0)
    changed = {
        "swapped": 1 - part,
        "squared": part * part,
        "smooth": part * part * (3 - 2 * part),
        "bits": np.floor(part * steps) / steps,
        "round": np.floor(part * steps + 0.5) / steps,
    }.get(how, part)
    return _held(rule, rule.precision, changed, np.zeros(part.shape))[0] if rule.early else changed


def _smoothed(rule: Resampling, n: int, out: int, step: Any) -> Table:
    """The weights of a support that grows where the tensor shrinks, divided by their sum."""
    real = type(step)
    o: NDArray[Any] = np.arange(out).astype(real)
    half = real(0.5)
    middle: NDArray[Any] = step * (o if rule.place in ("cells", "late") else o + half)
    middle = _placed(rule, middle + half if rule.place in ("cells", "centres") else middle)
    wide = step if rule.support == "shrinks" else max(step, real(1)) if rule.scaled else real(1)
    inverse = real(1) if rule.support == "alone" else real(1) / wide
    support = real(rule.radius) * wide * (half if rule.support == "halved" else real(1))
    support = np.floor(support) if rule.support == "whole" else support
    first = np.floor(middle - support + real(rule.halves[0])).astype(np.int64)
    last = np.floor(middle + support + real(rule.halves[1])).astype(np.int64)
    around = 0 if rule.border == "documented" else math.ceil(support) + 1  # cells that are not there
    i = np.arange(-around, n + around)
    inside = (i >= first[:, None]) & (i < last[:, None])
    x = ((i.astype(real) - middle[:, None] + half + real(rule.moved)) * inverse).astype(np.float64)
    weights = np.where(inside, rule.kernel(x), 0.0)
    if rule.early:
        weights, _ = _held(rule, rule.precision, weights, np.zeros(weights.shape))
    totals = {"count": inside, "magnitudes": np.abs(weights), "scale": np.full((out, 1), float(wide))}
    total = np.asarray(totals.get(rule.total, weights).sum(1, keepdims=True), np.float64)
    total = np.where(total == 0, 1.0, total)
    weights, reached = _inside(rule, n, around, weights), _inside(rule, n, around, inside) > 0
    weights = weights / total if rule.normalised else weights
    slope, constant = (1, 0) if rule.radius == 1 else (2, WEIGHT_ROUNDINGS * UNIT)
    moved = slope * ROUNDINGS * UNIT * (np.abs(middle.astype(np.float64)) + 1)[:, None] * float(inverse) + constant
    i, first, last = np.arange(n), np.maximum(first, 0), np.clip(last, 0, n)
    near = (i >= first[:, None] - 1) & (i <= last[:, None])
    exact = np.array([is_power(value) for value in total[:, 0]]) if rule.radius == 1 else np.zeros(out, bool)
    exact &= _is_exact(rule, float(step))
    doubt = np.where(near, moved / np.abs(total), 0.0)
    doubt = doubt + np.abs(weights) * (doubt.sum(1, keepdims=True) + (last - first + 4)[:, None] * UNIT)
    doubt = np.where(exact[:, None], 0.0, doubt)
    return Table(weights, doubt, reached | (doubt > 0))


def _inside(rule: Resampling, n: int, around: int, weights: NDArray[Any]) -> Matrix:
    """What belongs to cells that are not there is lost, or goes to others."""
    kept = weights[:, around : around + n].astype(np.float64)
    if rule.border in ("clamped", "wrapped", "mirrored"):
        for place in (*range(-around, 0), *range(n, n + around)):
            mirrored = -place - 1 if place < 0 else 2 * n - 1 - place
            other = {"clamped": place, "wrapped": place % n, "mirrored": mirrored}[rule.border]
            kept[:, min(max(other, 0), n - 1)] += weights[:, around + place]
    return kept
