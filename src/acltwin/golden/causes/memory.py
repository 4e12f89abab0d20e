"""What every operator can get wrong about memory that it did not clear."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import Array, facts, poisoned, widened
from acltwin.golden.cases.family import adds, fetches, takes_indices
from acltwin.golden.causes.model import Catalogue, Model, Prediction, model
from acltwin.golden.causes.view import Carry, View
from acltwin.golden.judge.bound import Bound, Limits, error_of, limits
from acltwin.ops.spec import OpSpec

common = Catalogue("common")


@common.cause(
    "Results depend on what was in memory before",
    looks="Cells that receive nothing are not 0; or every sum is too large by a constant, by another tensor's value, "
    "or by the sum of the previous plane or row.",
    arises="The memory of the result is not cleared, or only partly; or an accumulator is cleared once, before the "
    "loop, instead of for every plane or row.",
    wrong="total = 0\nfor plane in planes: total += ...; out[plane] = total",
    right="for plane in planes: total = 0; total += ...; out[plane] = total",
    fix="Clear the whole result, or write every cell; clear each accumulator where its sum starts.",
)
def memory(spec: OpSpec) -> Iterator[Model]:
    old = "the memory's old content"
    yield model(
        "nothing written",
        "initialisation",
        "the result is not written, or added to memory that was not cleared",
        _blank,
        documented="every cell is written",
        observed=old,
    )
    yield model("all zero", "initialisation", "the result is all zero", _zero, cost=1.1)
    if adds(spec) or (takes_indices(spec) and not fetches(spec)):
        yield model(
            "empty cells not cleared",
            "initialisation",
            "cells that receive nothing are not set to 0",
            _empty,
            documented="0 where nothing is received",
            observed=old,
            cost=0.9,
        )
    if adds(spec):
        yield from _of_sums(spec)


def _of_sums(spec: OpSpec) -> Iterator[Model]:
    documented = "every sum starts from 0"
    for number, words, sums in ((0, "", "sums"), (1, " after the first", "all sums but the first")):
        yield model(
            f"starts from something else{words}",
            "initialisation",
            f"{sums} start from another number than 0",
            _start,
            number,
            documented=documented,
            observed="another start",
            cost=1.2,
        )
    layouts = (("", False, 1.0), (", channels first", True, 1.01))[: len(spec.data_formats) or 1]
    for argument in spec.inputs:
        if argument.kind != "tensor" or argument.holds == "indices":
            continue
        name = argument.python_name
        for words, laid_first, cost in layouts:
            yield model(
                f"starts from {name}{words}",
                "initialisation",
                f"sums start from what is in the memory of {name}{words}, not from 0",
                _start_from,
                name,
                laid_first,
                documented=documented,
                observed=f"starts from {name}",
                cost=cost,
            )
    row = "a row's last sum is not cleared and is added to the first cell of the next row"
    rows: tuple[tuple[str, str, Carry, float], ...] = (
        (
            "planes",
            "sums are not cleared from plane to plane: each continues from the previous plane",
            _planes_before,
            1.1,
        ),
        *(
            (
                f"buffers of {count} planes",
                f"{count} buffers are used in turn and not cleared: each plane continues from the one {count} before",
                partial(_planes_before, count=count),
                1.15,
            )
            for count in (2, 4, 8, 16)
        ),
        ("rows", row, _rows_before, 1.2),
        ("rows of a plane", f"{row} of the plane", _plane_rows_before, 1.21),
    )
    for what, sentence, carry, cost in rows:
        yield model(
            f"{what} not cleared",
            "initialisation",
            sentence,
            View.carried,
            carry,
            documented=documented,
            observed="the sum before",
            cost=cost,
        )


def _blank(view: View) -> Prediction:
    """Guards fill memory with NaN, or with 0xA5 where there is none."""
    return tuple(poisoned(facts(dtype).dtype, shape) for dtype, shape in view.case.result_shapes())


def _zero(view: View) -> Prediction:
    return tuple(np.zeros(shape, facts(dtype).dtype) for dtype, shape in view.case.result_shapes())


def _empty(view: View) -> Prediction:
    """Anything may stand in an empty cell, as long as it is not always what it should be."""
    filled = _filled(view)
    if filled.all():
        return None
    allowed = limits(view.documented, Bound())
    return Limits(allowed.low, allowed.high, allowed.error, np.asarray(allowed.judged & filled))


def _filled(view: View) -> NDArray[np.bool_]:
    if view.adds:
        return np.asarray(view.documented.count > 0)
    reached = np.zeros(view.documented.value.shape, bool).reshape(len(view.indices), -1)
    np.put_along_axis(reached, view.indices, True, 1)
    # A zero that was copied looks like a cell that was cleared.
    return np.asarray(reached.reshape(view.documented.value.shape) & (view.documented.value != 0))


def _start(view: View, first: int) -> Prediction:
    """The same number in every cell from ``first`` on: the simplest that all of them allow."""
    if view.observed_arrays is None:
        return None
    observed, value = widened(view.observed_arrays[0]).ravel()[first:], view.documented.value.ravel()[first:]
    usable = np.isfinite(observed) & np.isfinite(value)
    if not usable.any():
        return None
    added = observed - value
    errors = error_of(view.documented, Bound()).ravel()[first:]
    errors = errors + 4 * view.dtype.unit * np.maximum(np.abs(observed), np.abs(value)) + view.dtype.smallest
    start = _simplest(float((added - errors)[usable].max()), float((added + errors)[usable].min()))
    if not start:
        return None
    begins = np.full(view.documented.value.size, start)
    begins[:first] = 0.0
    return _plus(view, begins.reshape(view.documented.value.shape))


def _simplest(low: float, high: float) -> float:
    """The number between two others with the fewest bits; 0 if there is none."""
    mantissa, exponent = math.frexp((low + high) / 2)
    for bits in range(1, 54):
        number = math.ldexp(round(math.ldexp(mantissa, bits)), exponent - bits)
        if number and low <= number <= high:
            return number
    return 0.0


def _start_from(view: View, name: str, laid_first: bool) -> Prediction:
    """Memory that another tensor's values are in, as often as they fit; a kernel may have laid them channels first."""
    turns = laid_first and view.channels_last
    old = np.moveaxis(view.tensors[name], -1, 1) if turns else view.tensors[name]
    if not old.size:
        return None
    values = widened(np.ascontiguousarray(old)).ravel()
    if turns:
        return _plus(view, view.shaped(np.resize(values, (*view.batch, *view.result))))
    return _plus(view, np.resize(values, view.documented.value.shape))


def _plus(view: View, added: Array) -> Prediction:
    """Added before the sum is rounded, or after."""
    return view.any_of(
        lambda sums: view.exactly_shaped(sums + added),
        lambda sums: view.exactly_shaped(view.exactly_shaped(sums).astype(np.float64) + added),
    )


def _planes_before(values: Array, axes: int, count: int = 1) -> Array:
    planes = values.reshape(-1, *values.shape[-axes:]).copy()
    for plane in range(count, len(planes)):
        planes[plane] += planes[plane - count]
    return planes.reshape(values.shape)


def _rows_before(values: Array, axes: int) -> Array:
    carried = values.copy()
    carried[..., 1:, 0] += values[..., :-1, -1]
    return carried


def _plane_rows_before(values: Array, axes: int) -> Array:
    shape = values.shape
    rows = values.reshape(*shape[:-axes], -1, shape[-1])
    return _rows_before(rows, 2).reshape(shape)
