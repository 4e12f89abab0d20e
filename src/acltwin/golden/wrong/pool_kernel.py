"""Max pooling, max unpooling and their gradients; unless one of their many parts is replaced, the result is right."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases import masks
from acltwin.golden.cases.dtypes import facts
from acltwin.golden.cases.family import along, flowing_name
from acltwin.golden.cases.windows import window_count
from acltwin.golden.wrong import basics
from acltwin.golden.wrong.basics import Alter, Array, Call, Places, Read, Renumber, Total
from acltwin.ops import OPERATORS

Mask = NDArray[np.bool_]
Rounding = Callable[[float], int]


@dataclass(frozen=True)
class Axis:
    """The windows along one axis."""

    cells: int
    kernel: int
    stride: int
    padding: int
    dilation: int
    windows: int
    shared: bool = False  # adaptive: the windows share the cells as evenly as they can
    round_start: Rounding = math.floor  # of where they begin and end
    round_end: Rounding = math.ceil

    @property
    def starts(self) -> Places:
        if self.shared:
            return self._shares(self.round_start, 0)
        return np.arange(self.windows) * self.stride - self.padding

    @property
    def ends(self) -> Places:
        """Behind the last cell of every window; cells beyond the plane are none."""
        if self.shared:
            ends = self._shares(self.round_end, 1)
            return np.asarray(np.clip(ends, self._shares(self.round_start, 0) + 1, self.cells))
        return np.full(self.windows, self.cells)

    def _shares(self, rounding: Rounding, first: int) -> Places:
        return np.array([rounding((n + first) * self.cells / self.windows) for n in range(self.windows)], np.int64)

    @property
    def taps(self) -> int:
        """The most cells of a window."""
        return int((self.ends - self.starts).max(initial=1)) if self.shared else self.kernel


@dataclass(frozen=True)
class Taps:
    """One cell of every window: its coordinates and which of them lie inside."""

    d: Places
    h: Places
    w: Places
    tap: tuple[int, ...]
    axes: Sequence[Axis]

    @property
    def inside(self) -> Mask:
        ends = np.ix_(*(axis.ends for axis in self.axes))
        coordinates = zip((self.d, self.h, self.w), ends, strict=True)
        d, h, w = ((cells >= 0) & (cells < end) for cells, end in coordinates)
        return np.asarray(d & h & w)

    def of(self, planes: Array) -> Array:
        """The values at these cells; outside, those of the nearest cell inside."""
        d, h, w = (
            np.clip(cells, 0, axis.cells - 1) for cells, axis in zip((self.d, self.h, self.w), self.axes, strict=True)
        )
        return np.asarray(planes[..., d, h, w])


def first_largest(value: Array, best: Array, unset: Mask) -> Mask:
    """The right comparison: a later cell must be larger, or a NaN."""
    return np.asarray((value > best) | np.isnan(value) | unset)


def plane_index(taps: Taps) -> Places:
    """The right index: in the flattened plane without padding."""
    return np.asarray((taps.d * taps.axes[1].cells + taps.h) * taps.axes[2].cells + taps.w)


def axes_of(call: Call) -> list[Axis]:
    def per_axis(name: str, missing: int) -> tuple[int, ...]:
        value: Any = call.arguments[name]
        return () if value in (None, (), []) else call.lifted(along(value, len(call.spec.axes)), missing)

    if "kernel_size" not in call.arguments:
        counts = call.windows
        return [Axis(n, -(-n // m), max(n // m, 1), 0, 1, m, True) for n, m in zip(call.plane, counts, strict=True)]
    kernel = per_axis("kernel_size", 1)
    steps = per_axis("stride", 1) or kernel
    pads, gaps = per_axis("padding", 0), per_axis("dilation", 1)
    behind = per_axis("behind", 0) if "behind" in call.arguments else pads
    ceil_mode = bool(call.arguments["ceil_mode"])
    return [
        Axis(n, k, s, p, d, window_count(n, k, s, p, d, ceil_mode, q))
        for n, k, s, p, d, q in zip(call.plane, kernel, steps, pads, gaps, behind, strict=True)
    ]


def maxima(
    planes: Array,
    axes: Sequence[Axis],
    *,
    wins: Callable[[Array, Array, Mask], Mask] = first_largest,
    place: Callable[[Taps], Places] = plane_index,
    outside: float | None = None,  # what padding counts as; None: it does not count
    start: float | None = None,  # what a maximum begins with; None: with the window's first cell
    nothing: float = 0,  # what a window without cells gives
    order: Callable[[tuple[int, ...]], Any] | None = None,  # in which the cells of a window are looked at
) -> tuple[Array, Places]:
    """The maxima of all windows of planes (N, C, D, H, W), in the type they are compared in, and their places."""
    shape = (*planes.shape[:2], *(axis.windows for axis in axes))
    lowest = -np.inf if basics.is_float(planes) else facts(planes.dtype.name).lowest
    best = np.full(shape, lowest if start is None else start, planes.dtype)
    unset, places = np.full(shape, start is None), np.zeros(shape, np.int64)
    taps = list(product(*(range(axis.taps) for axis in axes)))
    for tap in sorted(taps, key=order) if order else taps:
        cells = [axis.starts + step * axis.dilation for axis, step in zip(axes, tap, strict=True)]
        d, h, w = np.ix_(*cells)
        here = Taps(d, h, w, tap, axes)
        value, counts = here.of(planes), here.inside
        if outside is not None:
            value, counts = np.where(counts, value, planes.dtype.type(outside)), np.full(counts.shape, True)
        won = counts & wins(value, best, unset)
        best, unset = np.where(won, value, best), unset & ~won
        places = np.where(won, place(here), places)
    return np.where(unset, nothing, best).astype(planes.dtype), places


def pool(
    operator: str,
    tensors: dict[str, Array],
    arguments: dict[str, object],
    *,
    geometry: Callable[[Axis], Axis] = lambda axis: axis,
    together: Callable[[list[Axis]], list[Axis]] = lambda axes: axes,
    read: Read = basics.unchanged,
    alter: Alter = basics.unchanged,
    index: Renumber | None = None,
    **parts: Any,
) -> tuple[Array, Array]:
    """The forward pass.

    ``geometry`` changes each axis and ``together`` all of them, but for the numbers of windows; ``parts`` are those of
    ``maxima``.
    """
    call = basics.parse(operator, tensors, arguments)
    axes = together([geometry(axis) for axis in axes_of(call)])
    best, places = maxima(basics.wide(read(call.values, call)), axes, **parts)
    if index is not None:
        places = index(places, call)
    kind = next((result.dtypes[0] for result in call.spec.results if result.holds == "indices"), "int32")
    indices = places.astype(str(arguments.get("index_dtype", kind)))
    return call.restored(alter(best.astype(call.raw.dtype), call)), call.restored(alter(indices, call))


def pool_gradient(
    operator: str,
    tensors: dict[str, Array],
    arguments: dict[str, object],
    *,
    places: Renumber = lambda places, call: places,
    read: Read = basics.unchanged,
    total: Total = basics.running_sum,
    finish: Callable[[Array, np.dtype[Any]], Array] = basics.nearest_even,
    alter: Alter = basics.unchanged,
) -> Array:
    """The gradient; ``places`` changes the indices (N, C, windows...), and those outside the plane are lost."""
    call = basics.parse(operator, tensors, arguments)
    assert call.indices is not None
    assert call.input is not None
    named = basics.flat_planes(places(call.indices, call))
    values = basics.flat_planes(basics.wide(read(call.values, call)))
    cells = math.prod(call.plane)
    kept = (named >= 0) & (named < cells)
    sums = total(values[kept], basics.everywhere(named, cells)[kept], len(named) * cells)
    return call.restored(alter(finish(sums, call.raw.dtype).reshape(call.input.shape), call))


def either(
    operator: str, tensors: dict[str, Array], arguments: dict[str, object], **parts: Any
) -> Array | tuple[Array, Array]:
    """The forward pass or the gradient, whichever the operator is."""
    if OPERATORS[operator].is_gradient:
        return pool_gradient(operator, tensors, arguments, **parts)
    return pool(operator, tensors, arguments, **parts)


def through_indices(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel of max pooling, whatever stands for its indices: it sees them for a mask, and its own become one."""

    def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object], **parts: Any) -> Any:
        spec = OPERATORS[operator]
        given = masks.given_indices(spec, tensors, arguments)
        result = kernel(masks.without_mask(spec).name, given, arguments, **parts)
        if spec.is_gradient or not masks.has_mask(spec):
            return result
        values, indices = result
        return values, masks.mask_of(spec, indices, tensors["input"].shape, arguments)

    return run


def plain(operator: str, tensors: dict[str, Array], arguments: dict[str, object], **parts: Any) -> Array:
    """Values alone; padding has two sides, and a window of nothing else gives the lowest number."""
    given: dict[str, Any] = dict(arguments)
    axes = len(OPERATORS[operator].axes)
    pads = (given["pads"],) if isinstance(given["pads"], int) else tuple(given["pads"])
    before, behind = (pads[:axes], pads[axes:]) if len(pads) == 2 * axes else (pads, pads)
    window = {"kernel_size": given["kernel_shape"], "stride": given["strides"] or 1, "dilation": 1}
    named = {**given, **window, "padding": before, "behind": behind}
    values = tensors[flowing_name(OPERATORS[operator])]
    lowest = -np.inf if basics.is_float(values) else facts(values.dtype.name).lowest
    return pool(operator, tensors, named, **{"nothing": lowest, **parts})[0]


# ---- max unpooling and its gradient ----


def unpool(
    operator: str,
    tensors: dict[str, Array],
    arguments: dict[str, object],
    *,
    places: Renumber = lambda places, call: places,
    read: Read = basics.unchanged,
    total: Total = basics.last_wins,
    alter: Alter = basics.unchanged,
) -> Array:
    """Both directions; ``places`` changes the indices (N, C, ...), and those outside the plane lose their element.

    ``total`` says what becomes of several elements at one place; the gradient has no use for it.
    """
    call = basics.parse(operator, tensors, arguments)
    assert call.indices is not None
    cells = math.prod(call.plane)
    values, named = basics.flat_planes(read(call.values, call)), basics.flat_planes(places(call.indices, call))
    kept = (named >= 0) & (named < cells)
    if call.spec.is_gradient:
        fetched = np.take_along_axis(values, np.where(kept, named, 0), axis=1)
        result = np.where(kept, fetched, np.zeros(1, values.dtype)).reshape(call.indices.shape)
    else:
        planes = total(values[kept], basics.everywhere(named, cells)[kept], len(named) * cells)
        result = planes.reshape(*call.batch, *call.plane)
    return call.restored(alter(result.astype(call.raw.dtype), call))
