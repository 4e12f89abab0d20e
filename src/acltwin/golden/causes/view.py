"""A case as models see it: arrays in float64, channels first, with names for what they are."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import acltwin
from acltwin.golden.cases.case import Case
from acltwin.golden.cases.dtypes import Array, Facts, facts, rounded, widened
from acltwin.golden.cases.family import adds, family_of, flowing_name, looks_at_dtype
from acltwin.golden.cases.products import Table
from acltwin.golden.cases.upsample import scales_of
from acltwin.golden.cases.weights import Rule, documented_weights
from acltwin.golden.causes.index_rule import documented_rule
from acltwin.golden.judge.bound import Bound, Limits, error_of, limits
from acltwin.golden.judge.expected import Expected, expect, order_matters, weighed_result
from acltwin.golden.judge.judge import wrong_cells

Carry = Callable[[Array, int], Array]
"""From results, channels first, and the number of their spatial axes, to other results."""


class View:
    """``observed`` is what the kernel returned, where that is known; only few models look at it."""

    def __init__(self, case: Case, observed: tuple[Array, ...] | None = None) -> None:
        self.case = case.indexed
        self.spec, self.arguments = self.case.spec, case.arguments
        self.observed_arrays = observed and tuple(case.with_indices(list(observed)))
        self._sources: dict[bool, list[NDArray[np.int64]]] = {}

    @cached_property
    def tensors(self) -> dict[str, Array]:
        return self.case.inputs()

    @cached_property
    def documented(self) -> Expected:
        return self.case.expected()

    @property
    def adds(self) -> bool:
        return adds(self.spec)

    @property
    def dtype(self) -> Facts:
        return facts(self.case.dtype)

    @property
    def axes(self) -> int:
        return len(self.spec.axes)

    @property
    def channels_last(self) -> bool:
        return str(self.arguments.get("data_format", "")).endswith("C")

    def first(self, array: Array) -> Array:
        """In the layout of the case, as channels first."""
        return np.moveaxis(array, -1, 1) if self.channels_last else array

    def laid(self, array: Array) -> Array:
        """Channels first, in the layout of the case."""
        return np.moveaxis(array, 1, -1) if self.channels_last else array

    @cached_property
    def raw(self) -> Array:
        """The values as the kernel got them."""
        return self.tensors[flowing_name(self.spec)]

    @cached_property
    def x(self) -> Array:
        """The values, channels first; floats in float64, bool in int8."""
        wide = widened(self.raw)
        return self.first(wide.astype(np.int8) if wide.dtype == bool else wide)  # models subtract and negate

    @property
    def batch(self) -> tuple[int, ...]:
        return self.x.shape[: -self.axes]

    @property
    def batches(self) -> tuple[int, int]:
        """N and C; N is 1 where the case has no such axis."""
        return (1, *self.batch)[-2], self.batch[-1]

    @property
    def source(self) -> tuple[int, ...]:
        geometry = self.case.geometry
        return self.x.shape[-self.axes :] if geometry is None else geometry.source

    @cached_property
    def result(self) -> tuple[int, ...]:
        """Spatial sizes of the result."""
        if self.case.geometry is not None:
            return self.case.geometry.result
        shape = self.documented.value.shape
        return shape[1:-1] if self.channels_last else shape[-self.axes :]

    @property
    def planes(self) -> Array:
        """(planes, cells) of the values."""
        return np.ascontiguousarray(self.x).reshape(math.prod(self.batch), -1)

    @cached_property
    def indices(self) -> NDArray[np.int64]:
        """(planes, places) as they were given."""
        name = next(argument.python_name for argument in self.spec.inputs if argument.holds == "indices")
        given = self.first(self.tensors[name])
        return given.reshape(math.prod(given.shape[: -self.axes]), -1).astype(np.int64)

    @cached_property
    def image(self) -> Array:
        """What a pooling gradient's forward pass saw; a pooling's own input."""
        named = [a.python_name for a in self.spec.inputs if a.kind == "tensor" and a.holds == "shape"]
        return self.first(widened(self.tensors[named[0]])) if named else self.x

    @property
    def scales(self) -> tuple[float, ...]:
        return scales_of(self.spec, dict(self.arguments))

    def observed(self, result: int = 0) -> Array | None:
        """What the kernel returned, channels first; floats in float64."""
        if self.observed_arrays is None:
            return None
        return self.first(widened(self.observed_arrays[result]))

    @property
    def found(self) -> Array:
        """What the kernel is known to have returned, channels first."""
        observed = self.observed()
        assert observed is not None
        return observed

    @cached_property
    def wrong(self) -> NDArray[np.bool_]:
        """Where the kernel did not return what is documented, channels first; nowhere if its output is not known."""
        if self.observed_arrays is None:
            return np.zeros((*self.batch, *self.result), bool)
        wrong = wrong_cells(self.observed_arrays[0], limits(self.documented, Bound()), Bound())
        if self.documented.indices is not None:
            wrong = wrong | np.asarray(self.documented.indices != self.observed_arrays[1])
        return self.first(wrong)

    @cached_property
    def documented_value(self) -> Array:
        """The documented sums, channels first."""
        value = self.documented.value
        return self.first(value)

    def shaped(self, values: Array) -> Array:
        """Results of any shape, channels first, in the layout of the case."""
        full = values.reshape(*self.batch, *self.result)
        return self.laid(full)

    def exactly(self, values: Array) -> Array:
        """These results, channels first, rounded once to the dtype."""
        return self.exactly_shaped(self.shaped(values))

    def exactly_shaped(self, values: Array) -> Array:
        """Results in the layout of the case, rounded once to the dtype."""
        return rounded(values, self.dtype.dtype) if self.dtype.is_float else values.astype(self.dtype.dtype)

    def documented_on(self, x: Array, indices: Array | None = None) -> Expected:
        """The documented result of other values (channels first) or other indices (planes, places)."""
        laid = self.laid(x)
        if not self.dtype.is_float:
            laid = laid.astype(self.dtype.dtype)
        elif looks_at_dtype(self.spec):
            laid = rounded(laid, self.dtype.dtype)  # copies may be rounded before or after
        changed = {**self.tensors, flowing_name(self.spec): np.ascontiguousarray(laid)}
        if indices is not None:
            name = next(argument.python_name for argument in self.spec.inputs if argument.holds == "indices")
            given = self.first(self.tensors[name])
            changed[name] = np.ascontiguousarray(self.laid(indices.reshape(given.shape).astype(given.dtype)))
        terms = self.case.terms if indices is None else None  # other indices may meet in one cell
        expected = expect(self.case.operator, changed, self.arguments, self.case.map_rule, terms)
        expected.dtype = self.case.dtype
        return expected

    def moved(self, change: Callable[[Array], Array]) -> Expected:
        """The documented result with its cells moved or cleared: ``change`` works on it channels first."""
        return self.relaid(self.documented, change)

    def relaid(self, documented: Expected, change: Callable[[Array], Array]) -> Expected:
        """Another result, moved in the same way."""

        def whole(values: Array) -> Array:
            first = self.first(values)
            changed = change(np.array(first))
            return self.laid(changed)

        flat = documented.quantum.min(keepdims=True)
        peak = np.full_like(flat, np.inf)  # unknown after the move: the bound looks at magnitudes itself
        indices = None if documented.indices is None else whole(documented.indices)
        errors = documented.errors
        return Expected(
            whole(documented.value),
            self.case.dtype,
            flat,
            peak,
            2 if self.adds else 1,
            lambda: whole(documented.magnitude),
            lambda: whole(documented.count),
            indices,
            lambda largest: whole(documented.order_matters(largest)),
            None if errors is None else lambda unit: whole(errors(unit)),
        )

    def any_of(self, *roundings: Callable[[NDArray[np.float64]], Array]) -> Limits | None:
        """The documented sums by several ways to the dtype: everything from the lowest result to the highest."""
        found = [way for rounding in roundings if (way := self.through(rounding)) is not None]
        if not found:
            return None
        low = functools.reduce(np.minimum, [way.low for way in found])
        high = functools.reduce(np.maximum, [way.high for way in found])
        return Limits(low, high, found[0].error, found[0].judged)

    def through(self, rounding: Callable[[NDArray[np.float64]], Array]) -> Limits | None:
        """The documented sums, rounded by another monotone function; None for integers."""
        if not self.dtype.is_float or self.documented.indices is not None:
            return None
        documented = self.documented
        error = error_of(documented, Bound())
        low = rounding(documented.value - error)
        high = rounding(documented.value + error) if error.any() else low
        return Limits(low, high, error, np.ones(low.shape, bool))

    def between(self, value: NDArray[np.float64], error: NDArray[np.float64]) -> Limits:
        """Sums that may be off by so much, rounded once to the dtype; in the layout of the case."""
        low, high = self.exactly_shaped(value - error), self.exactly_shaped(value + error)
        return Limits(low, high, error, limits(self.documented, Bound()).judged)

    def carried(self, carry: Carry) -> Limits:
        """Sums that go into other sums: all that rounding them on the way, or not, can give."""
        right = limits(self.documented, Bound())
        whole = limits(self.moved(lambda values: carry(values, self.axes)), Bound())
        short = [self._carried(end, carry) for end in (right.low, right.high)]
        low, high = np.minimum(whole.low, np.minimum(*short)), np.maximum(whole.high, np.maximum(*short))
        return Limits(low, high, whole.error, whole.judged)

    def _carried(self, results: Array, carry: Carry) -> Array:
        """From results that are rounded already."""
        wide = widened(results)
        first = self.first(wide)
        changed = carry(np.ascontiguousarray(first), self.axes)
        return self.exactly_shaped(self.laid(changed))

    @cached_property
    def rule(self) -> Rule:
        """Of weighted sums."""
        case = self.case
        return documented_weights(self.spec, self.arguments, self.source, self.result, case.dtype, case.map_rule)

    @cached_property
    def tables(self) -> list[Table]:
        return self.rule.tables(self.source, self.result)

    def weighed(self, rule: Rule) -> Expected:
        """What another rule of weighted sums gives, within the bound of its own."""
        return weighed_result(self.x, rule.tables(self.source, self.result), self.case.dtype, self.channels_last)

    def sources_by(self, torch: bool) -> list[NDArray[np.int64]]:
        """Of a forward upsampling: along each axis, the source of every output cell, as the twin has it."""
        if torch not in self._sources:
            rule = "torch" if torch else "device"
            self._sources[torch] = [self._axis_sources(axis, rule) for axis in range(self.axes)]
        return self._sources[torch]

    def _axis_sources(self, axis: int, rule: str) -> NDArray[np.int64]:
        """Every cell holds its own coordinate, so that the result says where it came from."""
        dtype = np.float64 if self.case.dtype in ("float64", "uint8") else np.float32  # some dtypes have no scales
        numbers = along(axis, self.axes, np.arange(self.source[axis], dtype=dtype))
        plane = np.broadcast_to(numbers, (1, 1, *self.source))
        laid = self.laid(plane)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", acltwin.InvertedScaleWarning)
            result = getattr(acltwin, self.case.operator)(np.ascontiguousarray(laid), **self.arguments, rule=rule)
        first = self.first(result)
        line = [0] * self.axes
        numbered: Array = np.moveaxis(first[0, 0], axis, 0)[(slice(None), *line[1:])]
        return numbered.astype(np.int64)

    @cached_property
    def owners(self) -> NDArray[np.int64]:
        """(planes, sources): the cell of the result that each source is added to; -1: none. Only where sums are."""
        count = math.prod(self.batch)
        if not family_of(self.spec).by_axes:
            return self.indices
        owner = np.zeros((1,), np.int64)
        for matrix in documented_rule(self).matrices(self):
            mine = np.where(matrix.any(0), matrix.argmax(0), -1)
            joined = owner[:, None] * matrix.shape[0] + mine
            owner = np.where((owner[:, None] < 0) | (mine < 0), -1, joined).ravel()
        return np.broadcast_to(owner, (count, len(owner)))

    @cached_property
    def ranked(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """For rank 0, 1, ...: the cells that have so many sources, and that source of each, in ascending order."""
        cells = math.prod(self.result)
        owners = self.owners
        flat = np.where(owners < 0, -1, owners + np.arange(len(owners))[:, None] * cells).ravel()
        order = np.argsort(flat, kind="stable")
        order = order[flat[order] >= 0]
        sorted_cells = flat[order]
        first = np.r_[True, sorted_cells[1:] != sorted_cells[:-1]]
        start = np.flatnonzero(first)[np.cumsum(first) - 1]
        rank = np.arange(len(order)) - start
        return [(sorted_cells[rank == r], order[rank == r]) for r in range(int(rank.max(initial=-1)) + 1)]

    def folded(self, step: Callable[[Array, Array], Array], reverse: bool = False, start: float = 0.0) -> Array:
        """Every cell folded over its sources, one after the other; channels first, in float64."""
        flat = np.ascontiguousarray(self.x).ravel()
        total = np.full(math.prod(self.batch) * math.prod(self.result), start)
        for cells, sources in reversed(self.ranked) if reverse else self.ranked:
            total[cells] = step(total[cells], flat[sources])
        return total

    def sums(self, linear: Callable[[Array], Array]) -> Expected | Array:
        """What a linear map gives: exactly for copies, within the bound of its own for sums."""
        if not self.adds:
            copied = linear(self.x)
            minus = (self.x == 0) & np.signbit(self.x) if self.dtype.is_float else np.zeros(1, bool)
            if minus.any():  # a product loses the sign of a zero
                copied = np.where((copied == 0) & (linear(minus.astype(np.float64)) > 0), -0.0, copied)
            return self.exactly(copied)
        finite = np.where(np.isfinite(self.x), np.abs(self.x), 0.0)
        peak = np.full((1,) * self.x.ndim, finite.max(initial=0.0))
        quantum = self.documented.quantum.min(keepdims=True)
        return Expected(
            self.shaped(linear(self.x)),
            self.case.dtype,
            quantum,
            peak,
            math.prod(self.source),
            lambda: self.shaped(linear(np.abs(self.x))),
            lambda: self.shaped(linear(np.ones_like(self.x))),
            order_matters=lambda largest: self.shaped(order_matters(linear, self.x, largest)),
        )


def per_axis(value: Any, axes: int) -> tuple[int, ...]:
    values = (value,) if isinstance(value, int) else tuple(value)
    return values * axes if len(values) == 1 else values


def along(axis: int, axes: int, values: Array) -> Array:
    """Values along one of the spatial axes, to be broadcast over those behind it."""
    return values.reshape(-1, *(1,) * (axes - 1 - axis))
