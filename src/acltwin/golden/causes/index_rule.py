"""The index rule of upsampling as a point in a grid of rules: what each implementation has to decide.

The documented rule is one point; a model is a step away from it, and two models can be taken together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import Array, facts, rounded
from acltwin.reference import interval_table
from acltwin.reference.source_table import scale_given

if TYPE_CHECKING:
    from acltwin.golden.causes.view import View

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
Precision = Literal["float32", "float64", "float16", "bfloat16", "fixed16"]  # the last: 16 bits behind the point
Matrix = NDArray[np.float64]
"""(result, source) weights along one axis."""


@dataclass(frozen=True)
class IndexRule:
    """``form``: begins of intervals, as the gradient is documented, or the source of every output cell, as forward."""

    form: Literal["interval", "source"]
    exact: bool
    axes: int
    together: bool = False  # scales matter only if all of them are given
    unscaled: bool = False  # the dtype has none, whatever else is wrong
    fits: bool = False  # a scale matters only if it gives the size of the output
    rounds_scales: bool = False  # before they are inverted
    given: Literal["documented", "ignored", "each", "all", "inverted", "first"] = "documented"
    ratio: Literal["sizes", "inverted", "floor", "ceil", "round", "corners"] = "sizes"
    whole: bool = False  # the factor is cut off to an integer, whether it was given or not
    precision: Precision = "float32"  # of the factor
    places: Precision = "float32"  # of what is computed with it
    formula: Literal["product", "distributed", "quotient", "integers", "running"] = "product"
    through_reciprocal: bool = False  # of the factor, computed first
    fused: bool = False  # product and sum rounded together
    offset: float | None = None  # instead of the documented one
    after: float = 0.0  # added to a source after scaling
    rounding: Literal["documented", "floor", "ceil", "even", "away"] = "documented"
    tail: Literal["documented", "drop", "clamp", "wrap", "short"] = "documented"
    torch: bool = False  # PyTorch's own rule, bit for bit
    begin: int = 0  # of every interval, or of every source: moved by so much
    end: int = 0
    length: Literal["documented", "floor", "floor1", "ceil", "least1", "first", "last", "short", "adaptive"] = (
        "documented"
    )
    shared: int = 0  # so many neighbours have the source of the first of them
    bits: int = 0  # what is left of a source's number
    seam: int = 0  # a block of so many sources, at whose end an interval is cut
    seam_keeps: Literal["first", "last"] = "first"
    along: tuple[int, ...] | None = None  # the deviations hold along these axes alone
    swapped_scales: bool = False
    equal_sizes: Literal["documented", "scaled", "copied", "all"] = "documented"  # axes that keep their size

    def matrices(self, view: View) -> list[Matrix]:
        """One for every axis: which sources a result takes."""
        inner, outer = (view.result, view.source) if view.spec.is_gradient else (view.source, view.result)
        plain = documented_rule(view)
        scales = self.used_scales(view.scales)
        documented = plain.used_scales(view.scales)
        rows = []
        for axis, (small, large) in enumerate(zip(inner, outer, strict=True)):
            here = self.along is None or axis in self.along
            rule, scale = (self, scales[axis]) if here else (plain, documented[axis])
            if not view.spec.is_gradient and (rule == plain or rule.torch):
                rows.append(from_sources(view.sources_by(rule.torch)[axis], small, False))
                continue
            misfits = rule.fits and scale > 0 and math.floor(small * scale) != large
            if misfits or (small == large and rule.copies_equal(view)):
                scale = 0.0
            rows.append(rule.matrix(small, large, scale, view.spec.is_gradient))
        return rows

    def copies_equal(self, view: View) -> bool:
        """Whether a scale does not count where the sizes are equal: so it is in two dimensions, forward."""
        if self.equal_sizes == "all":
            return view.source == view.result
        if self.equal_sizes != "documented":
            return self.equal_sizes == "copied"
        return self.axes == 2 and not view.spec.is_gradient and not self.torch

    def used_scales(self, scales: Sequence[float]) -> list[float]:
        """0 where the sizes decide."""
        if self.unscaled or self.given == "ignored":
            return [0.0] * len(scales)
        together = {"each": False, "all": True}.get(self.given, self.together and not self.torch)
        if together and not all(scale_given(scale) for scale in scales):
            return [0.0] * len(scales)
        used = [scale if scale_given(scale) else 0.0 for scale in scales]
        if self.rounds_scales:
            used = [float(np.float32(scale)) for scale in used]
        if self.swapped_scales:
            used = used[::-1]
        if self.given == "first":
            used = used[:1] * len(used)
        return [1.0 / scale if scale and self.given == "inverted" else scale for scale in used]

    def matrix(self, small: int, large: int, scale: float, gradient: bool) -> Matrix:
        if self.torch and gradient:
            table = interval_table(small, large, scale or None, self.exact, "torch")
            return intervals(table[:-1], table[1:], large)
        if self.formula == "integers" and scale:  # there is no integer to compute with
            return replace(self, formula="product").matrix(small, large, scale, gradient)
        if self.form == "interval":
            matrix = self._intervals(small, large, scale)
            return matrix if gradient else matrix.T
        return from_sources(self._sources(small, large, scale), small, gradient)

    def _intervals(self, small: int, large: int, scale: float) -> Matrix:
        """b(i) = min(ceil(i s - 0.5), size), and what may be different about it."""
        if self.length == "adaptive":
            number = np.arange(small + 1)
            return intervals(number[:-1] * large // small, -(-number[1:] * large // small), large)
        factor = self._factor(large, small, scale)
        offset = (-0.5 if self.exact else 0.0) if self.offset is None else self.offset
        if self.formula == "integers":
            table = -(-(2 * np.arange(small + 1) * large + round(2 * offset) * small) // (2 * small))
        else:
            table = self._rounded(self._line(small + 1, factor, offset), "ceil")
        table = np.clip(table, 0, large)
        begin, end = self._lengths(table[:-1] + self.begin, table[1:] + self.end, factor)
        if self.tail == "clamp":
            end[-1] = max(int(end[-1]), large)
        matrix = intervals(begin, end, large)
        if self.tail == "wrap" and table[-1] < large:
            for place in range(int(table[-1]), large):
                matrix[(place - int(table[-1])) % small, place] = 1.0
        return self._cut_at_seams(matrix) if self.seam else matrix

    def _lengths(self, begin: Places, end: Places, factor: float) -> tuple[Places, Places]:
        if self.length == "least1":
            return begin, np.maximum(end, begin + 1)
        if self.length == "first":
            return begin, np.minimum(end, begin + 1)
        if self.length == "last":
            return np.maximum(begin, end - 1), end
        if self.length == "short":
            return begin, end - (end - begin > 1)
        if self.length == "documented":
            return begin, end
        fixed = math.ceil(factor) if self.length == "ceil" else math.floor(factor)
        return begin, begin + max(fixed, int(self.length == "floor1"))

    def _cut_at_seams(self, matrix: Matrix) -> Matrix:
        """Of an interval that lies in several blocks, only the part in its first or its last one is left."""
        block = np.arange(matrix.shape[1]) // self.seam
        inside = np.where(matrix > 0, block, -1)
        if self.seam_keeps == "last":
            return np.where(inside == inside.max(1, keepdims=True), matrix, 0.0)
        beyond = np.where(matrix > 0, block, matrix.shape[1])
        return np.where(beyond == beyond.min(1, keepdims=True), matrix, 0.0)

    def _sources(self, small: int, large: int, scale: float) -> Places:
        """src(o) = min(floor((o + 0.5) t), size - 1), and what may be different about it."""
        offset = (0.5 if self.exact else 0.0) if self.offset is None else self.offset
        if self.formula == "integers":
            source = (2 * np.arange(large) + round(2 * offset)) * small // (2 * large)
        else:
            source = self._rounded(self._scaled(small, large, scale, offset), "floor") + self.begin
        if self.shared:
            source = source[np.arange(large) // self.shared * self.shared]
        if self.bits:
            source = np.clip(source, 0, small - 1) % 2**self.bits
        if self.tail == "drop":
            return np.where(source >= small, -1, np.maximum(source, 0))
        if self.tail == "wrap":
            return source % small
        return np.clip(source, 0, max(small - (2 if self.tail == "short" else 1), 0))

    def _scaled(self, small: int, large: int, scale: float, offset: float) -> Floats:
        """Where the sources lie, not yet rounded to cells; every operation rounds."""
        place = self._number(np.arange(large, dtype=np.float64))
        if self.formula == "quotient":
            scaled = self._number(self._number(place + offset) / self._factor(large, small, scale))
        else:
            factor = self._factor(small, large, 1.0 / scale if scale else 0.0)
            if self.formula == "running":
                first = self._number(np.array(offset * factor))
                scaled = np.array([first, *np.full(large - 1, factor)])
                for step in range(1, large):
                    scaled[step] = self._number(scaled[step - 1] + factor)
            elif self.formula == "distributed":
                scaled = self._number(self._number(place * factor) + self._number(np.array(offset * factor)))
            else:
                scaled = self._number(self._number(place + offset) * factor)
        return self._number(scaled + self.after) if self.after else scaled

    def _factor(self, numerator: int, denominator: int, given: float) -> float:
        """What places are multiplied with; a given one counts, whatever the sizes are."""
        if self.ratio == "corners":
            return self._stored((numerator - 1) / max(denominator - 1, 1))
        if given:
            factor = given
        else:
            if self.ratio == "inverted":
                numerator, denominator = denominator, numerator
            factor = numerator / denominator
            if self.ratio in ("floor", "ceil", "round"):
                choices = {"floor": math.floor(factor), "ceil": math.ceil(factor), "round": round(factor)}
                return self._stored(max(float(choices[self.ratio]), 1.0))
        if self.whole:
            return float(max(int(self._stored(factor)), 1))
        if self.through_reciprocal and not (given and self.precision == "float64"):
            return self._stored(1.0 / self._stored(1.0 / given if given else denominator / numerator))
        return self._stored(factor)

    def _stored(self, factor: float) -> float:
        return float(_held(np.array(factor, np.float64), self.precision))

    def _number(self, values: Floats) -> Floats:
        return _held(values, self.places)

    def _line(self, count: int, factor: float, offset: float) -> Floats:
        """Factor times place, plus offset; each step rounds."""
        place = self._number(np.arange(count, dtype=np.float64))
        if self.fused:
            return self._number(place * factor + offset)
        product = self._number(place * factor)
        return self._number(product + offset) if offset else product

    def _rounded(self, places: Floats, documented: str) -> Places:
        how = documented if self.rounding == "documented" else self.rounding
        if how == "away":
            whole = np.floor(np.abs(places) + 0.5) * np.sign(places)
        else:
            whole = {"floor": np.floor, "ceil": np.ceil, "even": np.rint}[how](places)
        return np.asarray(np.nan_to_num(whole, nan=0.0)).clip(-(2**40), 2**40).astype(np.int64)


def _held(values: Floats, precision: Precision) -> Floats:
    """Rounded to a precision. One operation on such numbers in float64, rounded once more, is that operation in it."""
    if precision == "float64":
        return values
    if precision == "fixed16":
        return np.asarray(np.rint(values * 2.0**16) / 2.0**16)
    with np.errstate(over="ignore"):
        return np.asarray(rounded(values, facts(precision).dtype), np.float64)


def documented_rule(view: View) -> IndexRule:
    spec = view.spec
    rule = IndexRule("interval" if spec.is_gradient else "source", spec.is_exact, len(spec.axes))
    if view.case.map_rule == "torch":
        return replace(rule, torch=True)
    return replace(
        rule,
        together=spec.scales_together,
        fits=spec.scales_fit,
        unscaled=view.case.dtype in spec.unscaled_dtypes,
        rounds_scales=any(argument.kind == "float" for argument in spec.inputs),
    )


# ---- maps that are one matrix an axis, applied without letting infinities meet zeros ----


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
