"""Max pooling once more, with every decision of it open."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import Array, facts, rounded
from acltwin.golden.cases.windows import Window
from acltwin.golden.causes.model import Maxima
from acltwin.golden.causes.view import View, along, per_axis


@dataclass(frozen=True)
class Choice:
    """Which cell of a window wins. The documented choice is ``Choice(nan="last")``: the first maximum, the last NaN."""

    last: bool = False
    nan: Literal["never", "first", "last", "forgotten", "naive"] = "never"
    magnitude: bool = False
    minimum: bool = False
    narrow: str = ""  # compared in this dtype
    zero_padding: bool = False  # a padded cell counts as 0; if it wins, the index is none
    beyond_padding: bool = True  # so does a cell that lies beyond the padding
    nothing: Literal["none", "first", "zero"] = "none"  # the index where no cell wins
    start: float = -np.inf  # nothing below wins


DOCUMENTED = Choice(nan="last")


def window_of(view: View) -> Window:
    axes, arguments = view.axes, view.arguments
    if "kernel_shape" in arguments:
        pads = per_axis(arguments["pads"], 2 * axes)
        before, behind = (pads[:axes], pads[axes:]) if len(pads) == 2 * axes else (pads, pads)
        step = per_axis(arguments["strides"] or 1, axes)
        return Window(per_axis(arguments["kernel_shape"], axes), step, before, (1,) * axes, behind)
    if "kernel_size" not in arguments:
        ones = (1,) * axes
        ratios: list[tuple[int, int]] = list(zip(view.image.shape[-axes:], window_counts(view), strict=True))
        longest, step = tuple(-(-n // m) for n, m in ratios), tuple(max(n // m, 1) for n, m in ratios)
        return Window(longest, step, (0,) * axes, ones, adaptive=True)
    kernel = per_axis(arguments["kernel_size"], axes)
    stride = arguments["stride"]
    return Window(
        kernel,
        per_axis(stride, axes) if stride not in (None, ()) else kernel,
        per_axis(arguments["padding"], axes),
        per_axis(arguments["dilation"], axes),
    )


def window_counts(view: View) -> tuple[int, ...]:
    """How many windows there are along each axis."""
    return view.source if view.spec.is_gradient else view.result


def pooled(view: View, window: Window, choice: Choice = DOCUMENTED) -> tuple[Array, NDArray[np.int64]]:
    """(values, places) of every window, one step of the kernel after the other; -1 where no cell won."""
    image = view.image
    plane = image.shape[-view.axes :]
    counts = window_counts(view)
    begins, ends = window.begins(counts, plane), window.ends(counts, plane)
    if window.adaptive:
        longest = tuple(int((end - begin).max(initial=1)) for begin, end in zip(begins, ends, strict=True))
        window = window.but(kernel=longest, dilation=(1,) * view.axes)
    shape = (*image.shape[: -view.axes], *counts)
    best = np.full(shape, choice.start)
    key = np.full(shape, choice.start)
    places = np.full(shape, -1, np.int64)
    for taps in product(*map(range, window.kernel)):
        cells = [b + tap * d for b, tap, d in zip(begins, taps, window.dilation, strict=True)]
        inside, address, readable = np.ones(counts, bool), np.zeros(counts, np.int64), []
        padded = np.full(counts, choice.zero_padding)
        for axis, cell in enumerate(cells):
            wide = along(axis, view.axes, cell)
            inside = inside & (wide >= 0) & (wide < along(axis, view.axes, ends[axis]))
            if not choice.beyond_padding:
                padded = padded & (wide < plane[axis] + window.padding[axis])
            address = address * plane[axis] + np.clip(wide, 0, plane[axis] - 1)
            readable.append(np.clip(cell, 0, plane[axis] - 1))
        grid: tuple[Any, ...] = (..., *np.ix_(*readable))
        value = image[grid]
        if choice.zero_padding:
            value = np.where(inside, value, 0.0)
        wins = _wins(value, key, places, choice) & (inside | padded)
        best = np.where(wins, value, best)
        key = np.where(wins, _key(value, choice), key)
        places = np.where(wins, np.where(inside, address, -1 if choice.zero_padding else address), places)
    if choice.nothing == "zero":
        places = np.maximum(places, 0)
    elif choice.nothing == "first":
        places = np.where(places < 0, _first_cells(begins, plane, view.axes, window), places)
    return best, places


def answer(view: View, best: Array, places: NDArray[np.int64]) -> Maxima | Array:
    """Both results of a pooling, in their dtypes; where nothing won, nobody knows the index, nor the value."""
    indices = view.documented.indices
    if indices is None:
        lowest = -np.inf if view.dtype.is_float else view.dtype.lowest
        return view.exactly(np.where(np.isneginf(best), lowest, best))
    nothing = view.laid(places < 0)
    found = view.laid(places).astype(indices.dtype)
    return Maxima(view.exactly(best), found, nothing, nothing & np.isneginf(view.laid(best)))


def _first_cells(
    begins: list[NDArray[np.int64]], plane: tuple[int, ...], axes: int, window: Window
) -> NDArray[np.int64]:
    """The first cell of every window that is not padding."""
    address = np.zeros((), np.int64)
    for axis, begin in enumerate(begins):
        step = window.dilation[axis]
        cell = np.where(begin < 0, begin + -(begin // step) * step, begin)
        address = address * plane[axis] + along(axis, axes, cell)
    return address


def _key(value: Array, choice: Choice) -> Array:
    key = np.abs(value) if choice.magnitude else -value if choice.minimum else value
    return rounded(key, facts(choice.narrow).dtype).astype(np.float64) if choice.narrow else key


def _wins(value: Array, key: Array, places: NDArray[np.int64], choice: Choice) -> NDArray[np.bool_]:
    mine = _key(value, choice)
    larger = mine >= key if choice.last else mine > key
    if choice.start == -np.inf and not choice.zero_padding:
        larger = larger | ((places < 0) & ~np.isnan(mine))  # minus infinity, where there is nothing else
    if choice.nan == "last":
        return larger | np.isnan(mine)
    if choice.nan == "naive":  # it wins as the first cell alone, and then nothing wins over it
        return np.asarray(larger | (places < 0))
    if choice.nan == "forgotten":  # the next number wins over it
        return np.asarray(larger | np.isnan(mine) | np.isnan(key))
    if choice.nan == "first":
        return larger | (np.isnan(mine) & ~np.isnan(key))
    return np.asarray(larger)
