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

from acltwin.golden.dtypes import facts, rounded
from acltwin.golden.models.linear import Matrix, from_sources, intervals
from acltwin.reference import interval_table
from acltwin.reference.source_table import scale_given

if TYPE_CHECKING:
    from acltwin.golden.models.view import View

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class IndexRule:
    """``form``: begins of intervals, as the gradient is documented, or the source of every output cell, as forward."""

    form: Literal["interval", "source"]
    exact: bool
    axes: int
    given: Literal["documented", "ignored", "each", "all", "inverted"] = "documented"
    ratio: Literal["sizes", "inverted", "floor", "ceil", "round"] = "sizes"
    precision: Literal["float32", "float64", "float16", "bfloat16"] = "float32"
    through_reciprocal: bool = False  # of the ratio, computed first
    fused: bool = False  # product and sum rounded together
    offset: float | None = None  # instead of the documented one
    rounding: Literal["documented", "floor", "ceil", "even", "away"] = "documented"
    tail: Literal["documented", "drop", "clamp", "wrap"] = "documented"
    torch: bool = False  # PyTorch's own rule, bit for bit
    begin: int = 0  # of every interval, or of every source: moved by so much
    end: int = 0
    length: Literal["documented", "floor", "ceil", "least1", "one"] = "documented"  # of an interval
    last_begin: int | None = None
    only_axis: int | None = None  # the deviations hold along this axis alone
    swapped_scales: bool = False
    equal_sizes: Literal["documented", "scaled", "copied"] = "documented"  # an axis that keeps its size

    def matrices(self, view: View) -> list[Matrix]:
        """One for every axis: which sources a result takes."""
        inner, outer = (view.result, view.source) if view.spec.is_gradient else (view.source, view.result)
        plain = documented_rule(view)
        scales = self.used_scales(view.scales, view)
        documented = plain.used_scales(view.scales, view)
        rows = []
        for axis, (small, large) in enumerate(zip(inner, outer, strict=True)):
            here = self.only_axis is None or self.only_axis == axis
            rule, scale = (self, scales[axis]) if here else (plain, documented[axis])
            if not view.spec.is_gradient and (rule == plain or rule.torch):
                rows.append(from_sources(view.sources_by(rule.torch)[axis], small, False))
                continue
            if small == large and rule.copies_equal(view):
                scale = 0.0
            rows.append(rule.matrix(small, large, scale, view.spec.is_gradient))
        return rows

    def copies_equal(self, view: View) -> bool:
        """Whether a scale does not count where the sizes are equal: so it is in two dimensions, forward."""
        if self.equal_sizes != "documented":
            return self.equal_sizes == "copied"
        return self.axes == 2 and not view.spec.is_gradient and not self.torch

    def used_scales(self, scales: Sequence[float], view: View) -> list[float]:
        """0 where the sizes decide."""
        if self.given == "ignored":
            return [0.0] * len(scales)
        together = self.axes == 3 and not self.torch
        together = {"each": False, "all": True}.get(self.given, together)
        if together and not all(scale_given(scale) for scale in scales):
            return [0.0] * len(scales)
        used = [scale if scale_given(scale) else 0.0 for scale in scales]
        if self.swapped_scales:
            used = used[::-1]
        return [1.0 / scale if scale and self.given == "inverted" else scale for scale in used]

    def matrix(self, small: int, large: int, scale: float, gradient: bool) -> Matrix:
        if self.torch and gradient:
            table = interval_table(small, large, scale or None, self.exact, "torch")
            return intervals(table[:-1], table[1:], large)
        if self.form == "interval":
            matrix = self._intervals(small, large, scale)
            return matrix if gradient else matrix.T
        return from_sources(self._sources(small, large, scale), small, gradient)

    def _intervals(self, small: int, large: int, scale: float) -> Matrix:
        """b(i) = min(ceil(i s - 0.5), size), and what may be different about it."""
        factor = self._factor(large, small, scale)
        offset = (-0.5 if self.exact else 0.0) if self.offset is None else self.offset
        table = self._rounded(self._line(small + 1, factor, offset), "ceil")
        table = np.clip(table, 0, large)
        begin, end = table[:-1] + self.begin, table[1:] + self.end
        if self.length == "least1":
            end = np.maximum(end, begin + 1)
        elif self.length == "one":
            end = np.minimum(end, begin + 1)
        elif self.length in ("floor", "ceil"):
            end = begin + (math.floor(factor) if self.length == "floor" else math.ceil(factor))
        if self.tail == "clamp":
            end[-1] = max(int(end[-1]), large)
        matrix = intervals(begin, end, large)
        if self.tail == "wrap" and table[-1] < large:
            for place in range(int(table[-1]), large):
                matrix[(place - int(table[-1])) % small, place] = 1.0
        return matrix

    def _sources(self, small: int, large: int, scale: float) -> NDArray[np.int64]:
        """src(o) = min(floor((o + 0.5) t), size - 1), and what may be different about it."""
        given = 1.0 / scale if scale else 0.0
        factor = self._factor(small, large, given)
        offset = (0.5 if self.exact else 0.0) if self.offset is None else self.offset
        place = self._line(large, factor, offset, before=True)
        source = self._rounded(place, "floor") + self.begin
        if self.tail == "drop":
            return np.where((source < 0) | (source >= small), -1, source)
        if self.tail == "wrap":
            return source % small
        return np.clip(source, 0, small - 1)

    def _factor(self, numerator: int, denominator: int, given: float) -> float:
        if given:
            return self._stored(given)
        if self.ratio == "inverted":
            numerator, denominator = denominator, numerator
        whole = numerator / denominator
        if self.ratio in ("floor", "ceil", "round"):
            choices = {"floor": math.floor(whole), "ceil": math.ceil(whole), "round": round(whole)}
            return self._stored(max(float(choices[self.ratio]), 1.0))
        if self.precision == "float64":
            return whole
        single = np.float32(numerator) / np.float32(denominator)
        if self.through_reciprocal:
            single = np.float32(1.0) / (np.float32(denominator) / np.float32(numerator))
        return self._stored(float(single))

    def _stored(self, factor: float) -> float:
        with np.errstate(over="ignore"):
            return float(rounded(np.array(factor, np.float64), facts(self.precision).dtype))

    def _line(self, count: int, factor: float, offset: float, before: bool = False) -> Floats:
        """Factor times place, plus offset; or (place + offset) times factor. Each step rounds to float32."""
        place = np.arange(count, dtype=np.float64)
        if self.precision == "float64":
            return (place + offset) * factor if before else place * factor + offset
        if before:
            return np.asarray((place + offset).astype(np.float32) * np.float32(factor), np.float64)
        if self.fused:
            return np.asarray(place * factor + offset).astype(np.float32).astype(np.float64)
        product = (place.astype(np.float32) * np.float32(factor)).astype(np.float32)
        return (product + np.float32(offset)).astype(np.float64) if offset else product.astype(np.float64)

    def _rounded(self, places: Floats, documented: str) -> NDArray[np.int64]:
        how = documented if self.rounding == "documented" else self.rounding
        if how == "away":
            whole = np.floor(np.abs(places) + 0.5) * np.sign(places)
        else:
            whole = {"floor": np.floor, "ceil": np.ceil, "even": np.rint}[how](places)
        return np.asarray(np.nan_to_num(whole, nan=0.0)).clip(-(2**40), 2**40).astype(np.int64)


def documented_rule(view: View) -> IndexRule:
    spec = view.spec
    rule = IndexRule("interval" if spec.is_gradient else "source", spec.is_exact, len(spec.axes))
    return replace(rule, torch=True) if view.case.map_rule == "torch" else rule
