"""What operators that take indices can get wrong about them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from acltwin.golden.causes.indexing import NARROW, Narrow, Places, plane_sizes, reindexed
from acltwin.golden.causes.model import Catalogue, FaultClass, Model, Prediction, exchanges, model
from acltwin.golden.causes.view import View, per_axis
from acltwin.ops.spec import OpSpec

indexed = Catalogue("indexed")
Change = Callable[[View], Places]


def _reading(view: View, change: Change, outside: str) -> Prediction:
    return reindexed(view, change(view), outside)


@indexed.cause(
    "One plane's indices are used for another plane",
    looks="The first plane, n or channel is right; in the others, values go to the positions of the first.",
    arises="The offset of the plane is missing when indices are read. A test with one plane does not notice.",
    wrong="index = indices[cell]",
    right="index = indices[plane * cells + cell]",
    fix="Advance the pointer to the indices from plane to plane, like the pointer to the values; test with several "
    "different planes.",
)
def index_planes(spec: OpSpec) -> Iterator[Model]:
    for name, sentence, change, cost in _PLANES:
        yield model(name, "layout", sentence, _reading, change, "drop", cost=cost)


def _first_of(view: View, *parts: int) -> Places:
    """The indices, in so many parts, with those of the first for all of its axis."""
    shaped = view.indices.reshape(*parts, -1)
    first = shaped[(slice(None),) * (len(parts) - 1) + (slice(0, 1),)]
    return np.broadcast_to(first, shaped.shape).reshape(view.indices.shape)


_PLANES: tuple[tuple[str, str, Change, float], ...] = (
    (
        "first plane's indices",
        "every plane uses the indices of the first",
        lambda view: np.broadcast_to(view.indices[:1], view.indices.shape),
        1.0,
    ),
    ("first batch's indices", "every n uses the indices of n = 0", lambda view: _first_of(view, view.batches[0]), 1.0),
    (
        "indices of the first of the leading axis",
        "all along the leading axis, which may be C, use the indices of its first",
        lambda view: _first_of(view, view.batch[0]),
        1.02,
    ),
    (
        "first channel's indices",
        "every channel uses the indices of the first",
        lambda view: _first_of(view, *view.batches),
        1.0,
    ),
    (
        "next plane's indices",
        "every plane uses the indices of the next one",
        lambda view: np.roll(view.indices, -1, 0),
        1.0,
    ),
    (
        "indices of the plane before",
        "every plane uses the indices of the one before",
        lambda view: np.roll(view.indices, 1, 0),
        1.0,
    ),
)


@indexed.cause(
    "Indices are read as other positions in the plane",
    looks="Gradients arrive at the wrong cell of their plane: one off, transposed, in rows of another length, or from "
    "the other end.",
    arises="An index counts the cells of one plane, row by row, from 0. Kernels split it into coordinates with the "
    "sizes of the other tensor, with H and W exchanged, or count from 1 or from the first channel.",
    wrong="row, column = divmod(index, pooled_width)",
    right="row, column = divmod(index, plane_width)       # of the larger plane, which the index counts in",
    fix="Use an index as a flat offset into its own plane, and test with sizes that all differ.",
)
def place(spec: OpSpec) -> Iterator[Model]:
    for step, which in ((1, "after"), (-1, "before")):
        for outside in ("clamp", "wrap", "drop"):
            yield model(
                f"index {step:+d}",
                "index rule",
                f"every index is off by one: the cell {which} it is used",
                _reading,
                _moved(step),
                outside,
                documented="the index",
                observed=f"index {step:+d}",
                cost=1.0 if outside == "clamp" else 1.05,
            )
    for words, order in exchanges(spec):
        for suffix, how, change in (
            ("", "split into coordinates", _counted(order)),
            (", the other way", "combined from coordinates", _laid_down(order)),
            (", both ways", "split and combined", _mixed(order)),
        ):
            sentence = f"indices are {how} with {words}"
            yield model(f"{words}{suffix}", "layout", sentence, _reading, change, "drop", cost=1.1)
    for name, cause, sentence, change in _READ:
        name = name.format(spec.axes[0])
        yield model(name, cause, sentence, _reading, change, "drop", cost=1.1)
    for name, sentence, change in _LIMITED:
        yield model(name, "border", sentence, _reading, change, "drop", cost=1.05)
    names = {argument.python_name for argument in spec.inputs}
    if {"kernel_size", "padding"} <= names:
        for words, subtracts in (("", True), (", from its first cell on", False)):
            sentence = f"indices are read as positions in the padded plane{words}"
            change = _padded(subtracts)
            yield model(f"indices in the padded plane{words}", "index rule", sentence, _reading, change, "drop")
    elif "stride" in names:
        sentence = "indices are split into coordinates with the sizes of the smaller plane times the stride"
        name = "indices in a plane of whole windows"
        yield model(name, "index rule", sentence, _reading, _whole_windows, "drop")


def _moved(step: int) -> Change:
    return lambda view: view.indices + step


def _in_order(sizes: Sequence[int], order: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sizes[axis] for axis in order)


def _counted(order: tuple[int, ...]) -> Change:
    """The index counts in a plane with the axes in this order."""

    def change(view: View) -> Places:
        sizes = plane_sizes(view)
        place = np.unravel_index(view.indices, _in_order(sizes, order))
        return np.ravel_multi_index(tuple(place[axis] for axis in order), sizes)

    return change


def _laid_down(order: tuple[int, ...]) -> Change:
    """The place is counted in a plane with the axes in this order."""

    def change(view: View) -> Places:
        sizes = plane_sizes(view)
        place = np.unravel_index(view.indices, sizes)
        return np.ravel_multi_index(tuple(place[axis] for axis in order), _in_order(sizes, order))

    return change


def _mixed(order: tuple[int, ...]) -> Change:
    """Taken apart in that order, and put together with its strides as well."""

    def change(view: View) -> Places:
        seen = _in_order(plane_sizes(view), order)
        place = np.unravel_index(view.indices, seen)
        address = np.zeros_like(view.indices)
        for axis, size in zip(order, seen, strict=True):
            address = address * size + place[axis]
        return address

    return change


def _other_sizes(view: View) -> tuple[int, ...]:
    return view.source if plane_sizes(view) == view.result else view.result


def _apart(indices: Places, seen: Sequence[int], sizes: Sequence[int]) -> Places:
    """Coordinates by some sizes, address by others."""
    rest, address, stride = indices, np.zeros_like(indices), 1
    for size, wrong in zip(sizes[::-1], seen[::-1], strict=True):
        address = address + rest % wrong * stride
        rest = rest // wrong
        stride *= size
    return address


def _rows(view: View) -> Places:
    rows, column = np.divmod(view.indices, _other_sizes(view)[-1])
    return rows * plane_sizes(view)[-1] + column


def _over_channels(view: View) -> Places:
    cells = math.prod(plane_sizes(view))
    own = view.indices - np.arange(len(view.indices))[:, None] * cells
    return np.asarray(np.clip(own, 0, cells - 1))


def _split_by(view: View, width: int) -> Places:
    row, column = np.divmod(view.indices, width)
    return np.asarray(row * plane_sizes(view)[-1] + column)


def _column_alone(view: View) -> Places:
    width = plane_sizes(view)[-1]
    own = np.arange(view.indices.shape[1]) // _other_sizes(view)[-1]
    return np.asarray(own * width + view.indices % width)


_READ: tuple[tuple[str, FaultClass, str, Change], ...] = (
    (
        "strides of the other plane",
        "index rule",
        "indices are split into coordinates with the sizes of the other plane",
        lambda view: _apart(view.indices, _other_sizes(view), plane_sizes(view)),
    ),
    ("rows of the other plane", "index rule", "indices are split into coordinates with the other plane's width", _rows),
    (
        "rows as long as columns",
        "layout",
        "indices are split into coordinates with the height of the plane, not its width",
        lambda view: _split_by(view, plane_sizes(view)[-2] if view.axes > 1 else 1),
    ),
    (
        "indices over all channels",
        "layout",
        "indices count from the first channel, not from their own plane",
        _over_channels,
    ),
    (
        "mirrored",
        "layout",
        "indices count from the end of the plane",
        lambda view: np.asarray(math.prod(plane_sizes(view)) - 1 - view.indices),
    ),
    (
        "{} of the index ignored",
        "index rule",
        "indices are read as positions in the first slice",
        lambda view: view.indices % math.prod(plane_sizes(view)[1:]),
    ),
    (
        "column of the index alone",
        "index rule",
        "only the column of an index is used, in the row of the element itself",
        _column_alone,
    ),
)


def _at_most(view: View, most: int) -> Places:
    return np.minimum(view.indices, max(most, 0))


def _below(view: View, end: int) -> Places:
    return np.where(view.indices < end, view.indices, -1)


_LIMITED: tuple[tuple[str, str, Change], ...] = (
    (
        "indices clamped one short",
        "indices are clamped to the second-to-last cell",
        lambda view: _at_most(view, math.prod(plane_sizes(view)) - 2),
    ),
    (
        "indices clamped to the other plane",
        "indices are clamped to the number of cells of the other plane",
        lambda view: _at_most(view, math.prod(_other_sizes(view)) - 1),
    ),
    (
        "indices beyond the other plane lost",
        "indices beyond the number of cells of the other plane are dropped",
        lambda view: _below(view, math.prod(_other_sizes(view))),
    ),
    (
        "indices of the last row lost",
        "indices of the last row of a plane are dropped",
        lambda view: _below(view, math.prod(plane_sizes(view)) - plane_sizes(view)[-1]),
    ),
)


def _whole_windows(view: View) -> Places:
    steps = per_axis(view.arguments["stride"], view.axes)
    seen = tuple(step * size for step, size in zip(steps, _other_sizes(view), strict=True))
    return _apart(view.indices, seen, plane_sizes(view))


def _padded(subtracts: bool) -> Change:
    def change(view: View) -> Places:
        sizes, padding = plane_sizes(view), per_axis(view.arguments["padding"], view.axes)
        rest, address, stride = view.indices, np.zeros_like(view.indices), 1
        legal = np.ones(rest.shape, bool)
        for axis in range(view.axes - 1, -1, -1):
            whole = sizes[axis] + 2 * padding[axis]
            place = (rest % whole if axis else rest) - (padding[axis] if subtracts else 0)
            legal &= (place >= 0) & (place < sizes[axis])
            address, rest, stride = address + place * stride, rest // whole, stride * sizes[axis]
        return np.where(legal, address, -1)

    return change


OUTSIDE = (("drop", "are dropped", 0.0), ("clamp", "are clamped to it", 0.03), ("wrap", "count from its end", 0.03))


@indexed.cause(
    "Indices that do not fit into the type that holds them",
    looks="Small planes pass; in larger ones, from 128, 256, 2048 or 32768 cells on, some cells receive too much and "
    "others nothing. Or every second element is wrong and uses index 0.",
    arises="Indices are kept in a type that cannot hold them all (int8, int16, float16), or int64 indices are read as "
    "twice as many int32 ones.",
    wrong="int16_t index = indices[cell];",
    right="int64_t index = indices[cell];",
    fix="Keep indices in the type in which they are given, and test with planes of more than 2^8, 2^11 and 2^15 cells.",
)
def width(spec: OpSpec) -> Iterator[Model]:
    words = "int64 indices are read as twice as many of int32: low and high halves in turn"
    name = "int64 read as int32"
    yield model(name, "layout", words, _reading, _halves, "drop", documented="int64", observed="int32")
    for narrow in NARROW:
        for outside, words, more in OUTSIDE if narrow.leaves else OUTSIDE[:1]:
            yield model(
                f"{narrow.name}, outside: {outside}" if narrow.leaves else narrow.name,
                "index rule",
                f"{narrow.sentence}; those outside the plane {words}" if narrow.leaves else narrow.sentence,
                _narrowed,
                narrow,
                outside,
                documented="the whole index",
                observed=narrow.observed,
                cost=narrow.cost + more,
            )


def _narrowed(view: View, narrow: Narrow, outside: str) -> Prediction:
    places = narrow.change(view.indices)
    return None if (places == view.indices).all() else reindexed(view, places, outside)


def _halves(view: View) -> Places:
    whole = np.ascontiguousarray(view.indices)
    low, high = whole & 0xFFFFFFFF, whole >> 32
    return np.stack([low, high], axis=-1).reshape(len(whole), -1)[:, : whole.shape[1]]
