"""What max unpooling and its gradient can get wrong on their own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.causes.indexing import plane_sizes, reindexed
from acltwin.golden.causes.model import Catalogue, Model, Prediction, model
from acltwin.golden.causes.view import View, along, per_axis
from acltwin.golden.judge.bound import Bound, limits
from acltwin.ops.spec import OpSpec

unpool = Catalogue("unpool")


@unpool.cause(
    "Another cell than the indexed one is copied, or several are combined",
    looks="Cells come from their own position instead of the indexed one; or everything is written to the first plane; "
    "or only one of several equal indices fetches its gradient.",
    arises="The indices are not used; or the gradient is written as the inverse of a copy, which fetches every cell "
    "once, although an index may repeat and each repetition fetches the same gradient.",
    wrong="grad_input[cell] = grad_output[cell * stride]",
    right="grad_input[cell] = grad_output[plane * cells + indices[cell]]",
    fix="Let every element fetch by its own index, from its own plane.",
)
def copied(spec: OpSpec) -> Iterator[Model]:
    yield model("indices not used", "index rule", "cells are copied in order: the indices are not used", _in_order)
    words = "the indices are not used: every element belongs to the first cell of its window"
    yield model("first cell of the window", "index rule", words, _by_stride)
    if not spec.is_gradient:
        words = "the planes' offset is forgotten: everything is written to the first plane"
        yield model("planes share memory", "layout", words, _first_plane)
        return
    words = "the values of self are returned instead of gradients"
    yield model("copies self", "index rule", words, lambda view: view.exactly(view.image))
    for name, words, change in _REPEATS:
        yield model(name, "accumulation", f"equal indices {words}", _repeated, change)


def _in_order(view: View) -> Prediction:
    count = view.indices.shape[1]
    cells = math.prod(plane_sizes(view))
    return reindexed(view, np.broadcast_to(np.arange(count) % cells, view.indices.shape))


def _by_stride(view: View) -> Prediction:
    sizes = plane_sizes(view)
    smaller = view.source if sizes == view.result and not view.spec.is_gradient else view.result
    address, inside = np.zeros((), np.int64), np.ones((), bool)
    for axis, (size, count, step) in enumerate(
        zip(sizes, smaller, per_axis(view.arguments.get("stride", 2), view.axes), strict=True)
    ):
        place = along(axis, view.axes, np.arange(count) * step)
        address, inside = address * size + place, inside & (place < size)
    return reindexed(view, np.broadcast_to(np.where(inside, address, -1).ravel(), view.indices.shape))


def _first_plane(view: View) -> Prediction:
    """The last one that writes a cell stays; whether a zero counts as written, nobody knows."""
    documented = view.documented_value.reshape(len(view.indices), -1)
    result, unclear = np.zeros_like(documented), np.zeros(documented.shape, bool)
    for places, values in zip(view.indices, view.planes, strict=True):
        result[0, places] = values
        unclear[0, places] = values == 0
    exact = view.exactly(result)
    allowed = limits(view.documented, Bound())
    return replace(allowed, low=exact, high=exact, judged=~view.shaped(unclear))


Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def _repeated(view: View, change: Callable[[Floats, NDArray[np.int64], Flags, Flags], Floats]) -> Prediction:
    """From what is fetched, how often each index occurs in its plane, and whether this is its first or last time."""
    counts, first, last = (np.zeros(view.indices.shape, kind) for kind in (np.int64, bool, bool))
    for plane, places in enumerate(view.indices):
        _, begin, inverse, number = np.unique(places, return_index=True, return_inverse=True, return_counts=True)
        counts[plane] = number[inverse]
        first[plane, begin] = True
        _, end = np.unique(places[::-1], return_index=True)
        last[plane, len(places) - 1 - end] = True
    return view.exactly(change(view.documented_value.reshape(view.indices.shape), counts, first, last))


_REPEATS: tuple[tuple[str, str, Callable[[Floats, NDArray[np.int64], Flags, Flags], Floats]], ...] = (
    (
        "repeats lost",
        "fetch their gradient once: only the first of them gets it",
        lambda fetched, counts, first, last: np.where(first, fetched, 0),
    ),
    (
        "repeats lost but the last",
        "fetch their gradient once: only the last of them gets it",
        lambda fetched, counts, first, last: np.where(last, fetched, 0),
    ),
    ("repeats shared", "share the gradient among them", lambda fetched, counts, first, last: fetched / counts),
    ("repeats summed", "fetch the gradient times their number", lambda fetched, counts, first, last: fetched * counts),
)
