"""Indices are read as other positions in the plane."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from acltwin.golden.models.exchanges import exchanges
from acltwin.golden.models.indexing import Places, plane_sizes, reindexed
from acltwin.golden.models.model import FaultClass, Model, Page, Prediction
from acltwin.golden.models.view import View, per_axis
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Gradients arrive at the wrong cell of their plane: one off, transposed, in rows of another length, or from "
    "the other end.",
    arises="An index counts the cells of one plane, row by row, from 0. Kernels split it into coordinates with the "
    "sizes of the other tensor, with H and W exchanged, or count from 1 or from the first channel.",
    wrong="row, column = divmod(index, pooled_width)",
    right="row, column = divmod(index, plane_width)       # of the larger plane, which the index counts in",
    fix="Use an index as a flat offset into its own plane, and test with sizes that all differ.",
)
Change = Callable[[View], Places]


def models(spec: OpSpec) -> tuple[Model, ...]:
    found = [
        Model(
            f"index {step:+d}",
            "index rule",
            f"every index is off by one: the cell {'after' if step > 0 else 'before'} it is used",
            _reading(_moved(step), outside),
            documented="the index",
            observed=f"index {step:+d}",
            cost=1.0 if outside == "clamp" else 1.05,
        )
        for step in (1, -1)
        for outside in ("clamp", "wrap", "drop")
    ]
    rows: list[tuple[str, FaultClass, str, Change]] = []
    for words, order in exchanges(spec):
        rows += [
            (f"{words}", "layout", f"indices are split into coordinates with {words}", _counted(order)),
            (
                f"{words}, the other way",
                "layout",
                f"indices are combined from coordinates with {words}",
                _laid_down(order),
            ),
            (f"{words}, both ways", "layout", f"indices are split and combined with {words}", _mixed(order)),
        ]
    other = "the sizes of the other plane"
    rows += [
        ("strides of the other plane", "index rule", f"indices are split into coordinates with {other}", _other_plane),
        (
            "rows of the other plane",
            "index rule",
            "indices are split into coordinates with the other plane's width",
            _rows,
        ),
        (
            "indices over all channels",
            "layout",
            "indices count from the first channel, not from their own plane",
            _over_channels,
        ),
        ("mirrored", "layout", "indices count from the end of the plane", _mirrored),
        (
            f"{spec.axes[0]} of the index ignored",
            "index rule",
            "indices are read as positions in the first slice",
            _slice,
        ),
        (
            "column of the index alone",
            "index rule",
            "only the column of an index is used, in the row of the element itself",
            _column_alone,
        ),
    ]
    found += [Model(name, cause, sentence, _reading(change), cost=1.1) for name, cause, sentence, change in rows]
    return (*found, *_limits(), *_planes_by_arguments(spec))


def _limits() -> list[Model]:
    """Indices at the end of the plane, or beyond the other one, that are refused or moved."""
    rows: tuple[tuple[str, str, Change], ...] = (
        (
            "indices clamped one short",
            "indices are clamped to the second-to-last cell",
            _at_most(lambda cells, _: cells - 2),
        ),
        (
            "indices clamped to the other plane",
            "indices are clamped to the number of cells of the other plane",
            _at_most(lambda _, other: other - 1),
        ),
        (
            "indices beyond the other plane lost",
            "indices beyond the number of cells of the other plane are dropped",
            _below(lambda _, other, width: other),
        ),
        (
            "indices of the last row lost",
            "indices of the last row of a plane are dropped",
            _below(lambda cells, _, width: cells - width),
        ),
    )
    return [Model(name, "border", sentence, _reading(change), cost=1.05) for name, sentence, change in rows]


def _planes_by_arguments(spec: OpSpec) -> list[Model]:
    """Planes whose sizes follow from other arguments, where there are such."""
    names = {argument.python_name for argument in spec.inputs}
    found = []
    if {"kernel_size", "padding"} <= names:
        found += [
            Model(
                f"indices in the padded plane{words}",
                "index rule",
                f"indices are read as positions in the padded plane{words}",
                _reading(_padded(subtracts)),
            )
            for words, subtracts in (("", True), (", from its first cell on", False))
        ]
    elif "stride" in names:
        found.append(
            Model(
                "indices in a plane of whole windows",
                "index rule",
                "indices are split into coordinates with the sizes of the smaller plane times the stride",
                _reading(_whole_windows),
            )
        )
    return found


def _reading(change: Change, outside: str = "drop") -> Callable[[View], Prediction]:
    return lambda view: reindexed(view, change(view), outside)


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
    """Taken apart in that order, and put together with its strides too."""

    def change(view: View) -> Places:
        sizes = plane_sizes(view)
        seen = _in_order(sizes, order)
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


def _other_plane(view: View) -> Places:
    return _apart(view.indices, _other_sizes(view), plane_sizes(view))


def _rows(view: View) -> Places:
    rows, column = np.divmod(view.indices, _other_sizes(view)[-1])
    return rows * plane_sizes(view)[-1] + column


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


def _over_channels(view: View) -> Places:
    cells = math.prod(plane_sizes(view))
    own = view.indices - np.arange(len(view.indices))[:, None] * cells
    return np.asarray(np.clip(own, 0, cells - 1))


def _mirrored(view: View) -> Places:
    return np.asarray(math.prod(plane_sizes(view)) - 1 - view.indices)


def _slice(view: View) -> Places:
    return view.indices % math.prod(plane_sizes(view)[1:])


def _column_alone(view: View) -> Places:
    width = plane_sizes(view)[-1]
    own = np.arange(view.indices.shape[1]) // _other_sizes(view)[-1]
    return np.asarray(own * width + view.indices % width)


def _at_most(limit: Callable[[int, int], int]) -> Change:
    def change(view: View) -> Places:
        most = limit(math.prod(plane_sizes(view)), math.prod(_other_sizes(view)))
        return np.minimum(view.indices, max(most, 0))

    return change


def _below(limit: Callable[[int, int, int], int]) -> Change:
    def change(view: View) -> Places:
        sizes = plane_sizes(view)
        end = limit(math.prod(sizes), math.prod(_other_sizes(view)), sizes[-1])
        return np.where(view.indices < end, view.indices, -1)

    return change
