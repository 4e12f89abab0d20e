"""Indices of maxima are numbered in another way."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.models.exchanges import exchanges
from acltwin.golden.models.model import FaultClass, Model, Page, Prediction
from acltwin.golden.models.pool.window import answer
from acltwin.golden.models.view import View
from acltwin.golden.models.windows import pooled, window_of
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="All values are right. All indices are wrong, or all except those of the first plane.",
    arises="An index counts the cells of its own plane, without padding, row by row, from 0. Kernels count in the "
    "window, in the padded plane, across all planes, from 1 or by columns.",
    wrong="index = (kd * KH + kh) * KW + kw",
    right="index = (d * H + h) * W + w         # of the cell, in the plane without padding",
    fix="Compute the index from the coordinates of the cell that won.",
)
Places = NDArray[np.int64]
Change = Callable[[View, Places], Places]


def models(spec: OpSpec) -> tuple[Model, ...]:
    if spec.is_gradient:
        return ()
    rows: list[tuple[str, FaultClass, str, Change]] = [
        ("index in the window", "index rule", "indices count inside the window, not in the plane", _in_window),
        ("index of the window", "index rule", "the window's first cell is given as the index", _window_start),
        ("index in the padded plane", "index rule", "indices count in the padded plane", _in_padded),
        (
            "index over all channels",
            "index rule",
            "indices count from the first channel, not from their own plane",
            _over_channels,
        ),
        ("index from 1", "index rule", "indices count from 1", lambda view, places: places + 1),
    ]
    rows += [
        (f"index with {words}", "layout", f"indices count with {words}", _in_order(order))
        for words, order in exchanges(spec)
    ]
    return tuple(Model(name, cause, sentence, _renumbered(change)) for name, cause, sentence, change in rows)


def _renumbered(change: Change) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        best, places = pooled(view, window_of(view))
        return answer(view, best, change(view, places))

    return predict


def _in_window(view: View, places: Places) -> Places:
    window = window_of(view)
    result = np.zeros_like(places)
    for axis, place in enumerate(np.unravel_index(np.maximum(places, 0), view.source)):
        number = np.arange(view.result[axis]).reshape(-1, *(1,) * (view.axes - 1 - axis))
        tap = (place - (number * window.stride[axis] - window.padding[axis])) // window.dilation[axis]
        result = result * window.kernel[axis] + tap
    return result


def _window_start(view: View, places: Places) -> Places:
    """A window that begins in the padding is taken to begin with the plane."""
    address = np.zeros((), np.int64)
    for axis, begin in enumerate(window_of(view).begins(view.result, view.source)):
        address = address * view.source[axis] + np.maximum(begin, 0).reshape(-1, *(1,) * (view.axes - 1 - axis))
    return np.broadcast_to(address, places.shape)


def _in_padded(view: View, places: Places) -> Places:
    window = window_of(view)
    result = np.zeros_like(places)
    for axis, place in enumerate(np.unravel_index(np.maximum(places, 0), view.source)):
        size = view.source[axis] + 2 * window.padding[axis]
        result = result * size + place + window.padding[axis]
    return result


def _over_channels(view: View, places: Places) -> Places:
    planes = np.arange(math.prod(view.batch)).reshape(*view.batch, *(1,) * view.axes)
    return places + planes * math.prod(view.source)


def _in_order(order: tuple[int, ...]) -> Change:
    def change(view: View, places: Places) -> Places:
        place = np.unravel_index(np.maximum(places, 0), view.source)
        sizes = tuple(view.source[axis] for axis in order)
        return np.ravel_multi_index(tuple(place[axis] for axis in order), sizes)

    return change
