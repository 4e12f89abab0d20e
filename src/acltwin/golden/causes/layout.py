"""What every operator can get wrong about memory: the order of axes, rows and planes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from acltwin.golden.cases.dtypes import Array, widened
from acltwin.golden.cases.family import adds
from acltwin.golden.causes.model import Catalogue, Model, Prediction, exchanges, model
from acltwin.golden.causes.regions import PLANES, common_regions
from acltwin.golden.causes.seen import lost_in
from acltwin.golden.causes.view import View
from acltwin.golden.judge.bound import Bound, limits
from acltwin.ops.spec import OpSpec

common = Catalogue("common")
Order = tuple[int, ...]


@common.cause(
    "Memory is read or written with its axes in another order",
    looks="Square planes look transposed; others are scrambled, but hold the right numbers. Planes of one cell, and "
    "planes with equal results everywhere, pass.",
    arises="Strides are computed from the sizes in the wrong order, or a channels-last tensor is treated as one in the "
    "default layout.",
    wrong="address = (d * W + w) * H + h",
    right="address = (d * H + h) * W + w",
    fix="Compute strides from the tensor's own sizes and format, and test with sizes that all differ.",
)
def axes_order(spec: OpSpec) -> Iterator[Model]:
    if len(spec.data_formats) > 1:
        first, last = spec.data_formats[:2]
        name, words = "data format ignored", "channels last is treated as channels first, in reading and writing"
        yield model(name, "layout", words, _both_first, documented=last, observed=first)
        words = "channels last is read as channels first"
        yield model(f"{name}, reading", "layout", words, _read_first, cost=1.05)
        words = "the result is written channels first, not channels last"
        yield model(f"{name}, writing", "layout", words, _written_first, cost=1.05)
    for name, order in exchanges(spec):
        for words, one, other, cost in (
            ("", _taken_for, _laid_down, 1.1),
            (", in the opposite direction", _laid_down, _taken_for, 1.11),
        ):
            for verb, sentence, predict in (
                ("reading", "the memory is read", _turned_in),
                ("writing", "the result is written", _turned_out),
                ("reading and writing", "memory is read and written", _turned_both),
            ):
                title = f"{name}, {verb}{words}"
                yield model(title, "layout", f"{sentence} with {name}{words}", predict, one, other, order, cost=cost)


Turn = Callable[[Array, Order], Array]


def _taken_for(x: Array, order: Order) -> Array:
    """The same memory, taken for an array with its axes in another order (one that is its own inverse)."""
    first = x.ndim - len(order)
    shape = (*x.shape[:first], *(x.shape[first + axis] for axis in order))
    turned = np.ascontiguousarray(x).reshape(shape)
    return np.ascontiguousarray(turned.transpose((*range(first), *(first + axis for axis in order))))


def _laid_down(x: Array, order: Order) -> Array:
    """The array, laid down in memory with its axes in another order."""
    first = x.ndim - len(order)
    turned = x.transpose((*range(first), *(first + axis for axis in order)))
    return np.ascontiguousarray(turned).reshape(x.shape)


def _turned_in(view: View, read: Turn, write: Turn, order: Order) -> Prediction:
    return view.documented_on(read(view.x, order))


def _turned_out(view: View, read: Turn, write: Turn, order: Order) -> Prediction:
    return view.moved(lambda values: write(values, order))


def _turned_both(view: View, read: Turn, write: Turn, order: Order) -> Prediction:
    return view.relaid(view.documented_on(read(view.x, order)), lambda values: write(values, order))


def _as_first(view: View) -> Array:
    """The values' memory, taken for channels first."""
    return widened(np.ascontiguousarray(view.raw)).reshape(view.x.shape)


def _first_as_last(view: View) -> Callable[[Array], Array]:
    """Results, channels first, whose memory is taken for channels last."""
    last = view.documented.value.shape
    return lambda values: np.moveaxis(np.ascontiguousarray(values).reshape(last), -1, 1)


def _read_first(view: View) -> Prediction:
    return view.documented_on(_as_first(view)) if view.channels_last else None


def _written_first(view: View) -> Prediction:
    return view.moved(_first_as_last(view)) if view.channels_last else None


def _both_first(view: View) -> Prediction:
    return view.relaid(view.documented_on(_as_first(view)), _first_as_last(view)) if view.channels_last else None


@common.cause(
    "Rows are assumed to be aligned in memory",
    looks="Rows that fill whole blocks pass. In others, the first row is right and each later row is shifted further.",
    arises="A device copies blocks of 32 bytes, but rows in memory are not padded to whole blocks.",
    wrong="row = base + y * align_up(width * sizeof(T), 32)",
    right="row = base + y * width * sizeof(T)",
    fix="Use the tensor's own strides; pad rows in local memory only.",
)
def row_alignment(spec: OpSpec) -> Iterator[Model]:
    for size in (16, 32, 64, 128, 256, 512):
        yield model(
            f"rows aligned to {size} bytes",
            "layout",
            f"rows are read as if each began at a multiple of {size} bytes",
            _aligned,
            size,
            documented="rows follow each other",
            observed=f"rows padded to {size} bytes",
        )


def _aligned(view: View, size: int) -> Prediction:
    width, block = view.source[-1], max(size // view.dtype.dtype.itemsize, 1)
    stride = math.ceil(width / block) * block
    if stride == width:
        return None
    rows = view.x.size // width
    address = (np.arange(rows)[:, None] * stride + np.arange(width)).reshape(view.x.shape)
    flat = np.ascontiguousarray(view.x).ravel()
    found = view.documented_on(flat[address % flat.size])
    if view.documented.indices is not None:
        return found
    outside = view.documented_on((address >= flat.size).astype(view.x.dtype))  # what stands there, nobody knows
    allowed = limits(found, Bound())
    return replace(allowed, judged=np.asarray(allowed.judged & (outside.value == 0)))


@common.cause(
    "Planes are mixed up",
    looks="Single planes pass. With several planes, all but the first are wrong, or planes hold the data of another n "
    "or c, or planes that were assigned to no core stay 0.",
    arises="The offset of a plane is missing or computed with N and C exchanged; or the planes are divided among the "
    "cores and the remainder is left out.",
    wrong="for p in range(core * (planes // cores), (core + 1) * (planes // cores)): ...",
    right="for p in range(core, planes, cores): ...",
    fix="Test with N = 2 and C = 3, with different data in every plane, and with more planes than cores.",
)
def planes(spec: OpSpec) -> Iterator[Model]:
    for name, sentence, change, cost in _MIXED:
        yield model(f"reads {name}", "layout", sentence, _mixed_in, change, cost=cost)
    words = "all along the leading axis, which may be C, take the data of its first"
    yield model("reads the first of the leading axis", "layout", words, _leading_first, cost=1.02)
    for name, sentence, change, cost in _MIXED:
        yield model(f"writes {name}", "layout", f"{sentence}, in the result", _mixed_out, change, cost=cost)
    for line in PLANES:
        yield from lost_in(spec, common_regions(line))
    for name, words, strides in (
        ("planes", "a plane's offset is", lambda source, result: (result, result)),
        ("channels", "a channel's offset, but not that of a batch, is", lambda source, result: (source, result)),
        ("batches", "a batch's offset is", lambda source, result: (result, source)),
    ):
        sentence = f"{words} computed with the size of the result, not of the input"
        yield model(f"{name} read at the result's distance", "layout", sentence, _distant, strides, cost=1.1)
    for name, words, value in (
        ("with its last cell", "what was written there last", lambda planes: planes[:-1, -1]),
        ("with zero", "0", lambda planes: 0),
    ):
        sentence = f"a store reaches beyond its plane: the first cell of the next plane holds {words}"
        yield model(f"spills into the next plane {name}", "border", sentence, _spilt, value, cost=1.1)
    if adds(spec):
        words = "the planes' offset is forgotten: the sums of all planes go to the first one"
        yield model("planes share memory", "layout", words, View.carried, _all_in_first)


Distances = Callable[[int, int], tuple[int, int]]
"""From the cells of a plane of the input and of the result: the distances between batches, a channel, and channels."""


def _distant(view: View, distances: Distances) -> Prediction:
    """Planes that are read from the wrong places; of those that lie beyond the input nobody knows what they hold."""
    flat = np.ascontiguousarray(view.x).reshape(-1)
    batches, channels = view.batches
    cells = math.prod(view.source)
    batch, channel = distances(cells, math.prod(view.result))
    begins = (np.arange(batches)[:, None] * channels * batch + np.arange(channels) * channel).reshape(-1, 1)
    places = begins + np.arange(cells)
    inside = (begins[:, 0] + cells <= len(flat)).reshape(*view.batch, *(1,) * view.axes)
    moved = view.documented_on(flat[np.minimum(places, len(flat) - 1)].reshape(view.x.shape))
    if moved.indices is not None:
        return moved if inside.all() else None
    allowed = limits(moved, Bound())
    known = view.laid(np.broadcast_to(inside, (*view.batch, *view.result)))
    return replace(allowed, judged=np.asarray(allowed.judged & known))


def _spilt(view: View, value: Callable[[Array], Array | int]) -> Prediction:
    def spill(values: Array) -> Array:
        planes = values.reshape(math.prod(view.batch), -1)
        spilt = planes.copy()
        spilt[1:, 0] = value(planes)
        return spilt.reshape(values.shape)

    return view.moved(lambda values: spill(np.ascontiguousarray(values)))


def _all_in_first(values: Array, axes: int) -> Array:
    planes = values.reshape(-1, math.prod(values.shape[-axes:]))
    result = np.zeros_like(planes)
    result[0] = planes.sum(0)
    return result.reshape(values.shape)


Batch = tuple[int, ...]
Mix = Callable[[Array, Batch], Array]


def _swapped(x: Array, batch: Batch) -> Array:
    return x.reshape(batch[1], batch[0], *x.shape[len(batch) :]).swapaxes(0, 1).reshape(x.shape)


def _c_before_n(x: Array, batch: Batch) -> Array:
    return np.ascontiguousarray(x.swapaxes(0, 1)).reshape(x.shape)


def _rolled(x: Array, batch: Batch, step: int) -> Array:
    return np.roll(x.reshape(math.prod(batch), -1), step, 0).reshape(x.shape)


def _backwards(x: Array, batch: Batch) -> Array:
    return x.reshape(-1, *x.shape[len(batch) :])[::-1].reshape(x.shape)


_MIXED: tuple[tuple[str, str, Mix, float], ...] = (
    (
        "the first plane",
        "every plane takes the first plane's data",
        lambda x, batch: np.broadcast_to(x[(slice(0, 1),) * len(batch)], x.shape),
        1.0,
    ),
    ("the first batch", "every n takes the data of n = 0", lambda x, batch: np.broadcast_to(x[:1], x.shape), 1.0),
    (
        "the first channel",
        "every channel takes the first one's data",
        lambda x, batch: np.broadcast_to(x[:, :1], x.shape),
        1.0,
    ),
    ("N and C exchanged", "N and C are exchanged", _swapped, 1.0),
    ("C and N exchanged", "memory is read as if C came before N", _c_before_n, 1.02),
    ("the next plane", "every plane takes the next one's data", lambda x, batch: _rolled(x, batch, -1), 1.0),
    ("the plane before", "every plane takes the data of the one before", lambda x, batch: _rolled(x, batch, 1), 1.0),
    (
        "the batch before",
        "every n but the first takes the data of the n before",
        lambda x, batch: x[np.maximum(np.arange(batch[0]) - 1, 0)],
        1.01,
    ),
    ("planes backwards", "planes are taken in reverse order", _backwards, 1.0),
    ("channels backwards", "channels are taken in reverse order", lambda x, batch: np.flip(x, len(batch) - 1), 1.1),
    ("batches backwards", "the batch is taken in reverse order", lambda x, batch: np.flip(x, 0), 1.1),
    (
        "the last channel",
        "every channel takes the last one's data",
        lambda x, batch: np.broadcast_to(x[:, -1:], x.shape),
        1.1,
    ),
)


def _changed(view: View, values: Array, change: Mix) -> Array:
    """``change`` works on (N, C, ...), and N is 1 where the case has none."""
    full = np.ascontiguousarray(values).reshape(*view.batches, *values.shape[len(view.batch) :])
    return np.array(change(full, view.batches)).reshape(values.shape)


def _mixed_in(view: View, change: Mix) -> Prediction:
    return view.documented_on(_changed(view, view.x, change))


def _leading_first(view: View) -> Prediction:
    return view.documented_on(np.array(np.broadcast_to(view.x[:1], view.x.shape)))


def _mixed_out(view: View, change: Mix) -> Prediction:
    return view.moved(lambda values: _changed(view, values, change))
