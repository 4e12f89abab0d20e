"""Another cell than the indexed one is copied, or several are combined."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.models.indexing import plane_sizes, reindexed
from acltwin.golden.models.model import Model, Page, Prediction
from acltwin.golden.models.view import View, per_axis
from acltwin.golden.rule import Bound, limits
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Cells come from their own position instead of the indexed one; or everything is written to the first plane; "
    "or only one of several equal indices fetches its gradient.",
    arises="The indices are not used; or the gradient is written as the inverse of a copy, which fetches every cell "
    "once, although an index may repeat and each repetition fetches the same gradient.",
    wrong="grad_input[cell] = grad_output[cell * stride]",
    right="grad_input[cell] = grad_output[plane * cells + indices[cell]]",
    fix="Let every element fetch by its own index, from its own plane.",
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    found = [
        Model("indices not used", "index rule", "cells are copied in order: the indices are not used", _in_order),
        Model(
            "first cell of the window",
            "index rule",
            "the indices are not used: every element belongs to the first cell of its window",
            _by_stride,
        ),
    ]
    if not spec.is_gradient:
        words = "the planes' offset is forgotten: everything is written to the first plane"
        return (*found, Model("planes share memory", "layout", words, _first_plane))
    found.append(Model("copies self", "index rule", "the values of self are returned instead of gradients", _self))
    found += [
        Model(name, "accumulation", f"equal indices {words}", predict)
        for name, words, predict in (
            ("repeats lost", "fetch their gradient once: only the first of them gets it", _repeats(False)),
            ("repeats lost but the last", "fetch their gradient once: only the last of them gets it", _repeats(True)),
            ("repeats shared", "share the gradient among them", _shared),
            ("repeats summed", "fetch the gradient times their number", _summed),
        )
    ]
    return tuple(found)


def _in_order(view: View) -> Prediction:
    count = view.indices.shape[1]
    cells = math.prod(plane_sizes(view))
    return reindexed(view, np.broadcast_to(np.arange(count) % cells, view.indices.shape))


def _by_stride(view: View) -> Prediction:
    sizes = plane_sizes(view)
    smaller = view.source if sizes == view.result and not view.spec.is_gradient else view.result
    address, inside = np.zeros((), np.int64), np.ones((), bool)
    for axis, (size, count, step) in enumerate(
        zip(sizes, smaller, per_axis(view.arguments["stride"], view.axes), strict=True)
    ):
        place = (np.arange(count) * step).reshape(-1, *(1,) * (view.axes - 1 - axis))
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
    shaped = view.shaped(unclear)
    allowed = limits(view.documented, Bound())
    return replace(allowed, low=exact, high=exact, judged=~shaped)


def _self(view: View) -> Prediction:
    return view.exactly(view.image)


def _numbers(view: View) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]:
    """How often each index occurs in its plane, and whether this is its first or its last time."""
    counts, first, last = (np.zeros(view.indices.shape, kind) for kind in (np.int64, bool, bool))
    for plane, places in enumerate(view.indices):
        _, begin, inverse, number = np.unique(places, return_index=True, return_inverse=True, return_counts=True)
        counts[plane] = number[inverse]
        first[plane, begin] = True
        _, end = np.unique(places[::-1], return_index=True)
        last[plane, len(places) - 1 - end] = True
    return counts, first, last


def _repeats(keep_last: bool) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        _, first, last = _numbers(view)
        fetched = view.documented_value.reshape(view.indices.shape)
        return view.exactly(np.where(last if keep_last else first, fetched, 0))

    return predict


def _shared(view: View) -> Prediction:
    fetched = view.documented_value.reshape(view.indices.shape)
    return view.exactly(fetched / _numbers(view)[0])


def _summed(view: View) -> Prediction:
    fetched = view.documented_value.reshape(view.indices.shape)
    return view.exactly(fetched * _numbers(view)[0])
