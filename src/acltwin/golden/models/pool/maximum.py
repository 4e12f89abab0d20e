"""A pooling that chooses another cell of the window."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.models.model import FaultClass, Model, Prediction
from acltwin.golden.models.pool.window import answer
from acltwin.golden.models.view import View
from acltwin.golden.models.windows import Choice, pooled, window_of
from acltwin.ops.spec import OpSpec


def models(spec: OpSpec) -> tuple[Model, ...]:
    if spec.is_gradient:
        return ()
    found = [
        Model(name, cause, sentence, _chosen(choice), cost=cost) for name, cause, sentence, choice, cost in _CHOICES
    ]
    found += [
        Model(name, "index rule", sentence, _renumbered(change))
        for name, sentence, change in (
            ("index in the window", "indices count inside the window, not in the plane", _in_window),
            ("index in the padded plane", "indices count in the padded plane", _in_padded),
            (
                "index over all channels",
                "indices count from the first channel, not from their own plane",
                _over_channels,
            ),
            ("index from 1", "indices count from 1", lambda view, places: places + 1),
        )
    ]
    return tuple(found)


_CHOICES: tuple[tuple[str, FaultClass, str, Choice, float], ...] = (
    (
        "zero padding",
        "border",
        "padding counts as 0, not as minus infinity",
        Choice(zero_padding=True, nan="last"),
        1.0,
    ),
    (
        "zero padding, not beyond",
        "border",
        "padding counts as 0, and what ceil mode adds beyond it as minus infinity",
        Choice(zero_padding=True, beyond_padding=False, nan="last"),
        1.5,
    ),
    (
        "zero padding, NaN passed over",
        "border",
        "padding counts as 0, and NaN is passed over",
        Choice(zero_padding=True),
        1.5,
    ),
    (
        "last maximum, first NaN",
        "index rule",
        "the last of several maxima gives the index, but the first NaN",
        Choice(last=True, nan="first"),
        1.5,
    ),
    (
        "last maximum, NaN passed over",
        "index rule",
        "the last of several maxima, and never NaN",
        Choice(last=True),
        1.5,
    ),
    (
        "zero start, NaN passed over",
        "initialisation",
        "maxima start from 0, and NaN is passed over",
        Choice(start=0.0),
        1.5,
    ),
    (
        "zero start",
        "initialisation",
        "maxima start from 0, not from minus infinity",
        Choice(start=0.0, nan="last"),
        1.0,
    ),
    ("NaN never wins", "special values", "NaN is passed over", Choice(), 1.0),
    ("first NaN", "special values", "the first NaN gives the index, not the last", Choice(nan="first"), 1.0),
    ("last maximum", "index rule", "the last of several maxima gives the index", Choice(last=True, nan="last"), 1.0),
    ("magnitude", "index rule", "magnitudes are compared", Choice(magnitude=True, nan="last"), 1.0),
    ("minimum", "index rule", "the minimum is taken", Choice(minimum=True, nan="last"), 1.0),
    ("bfloat16 comparison", "rounding", "values are compared in bfloat16", Choice(narrow="bfloat16", nan="last"), 1.0),
    ("float16 comparison", "rounding", "values are compared in float16", Choice(narrow="float16", nan="last"), 1.0),
)


def _chosen(choice: Choice) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        best, places = pooled(view, window_of(view), choice)
        if choice.zero_padding:  # a zero of the image and one of the padding are equal: either may win
            places = np.where(best == 0, -1, places)
        return answer(view, best, places)

    return predict


Change = Callable[[View, NDArray[np.int64]], NDArray[np.int64]]


def _renumbered(change: Change) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        best, places = pooled(view, window_of(view))
        return answer(view, best, change(view, places))

    return predict


def _in_window(view: View, places: NDArray[np.int64]) -> NDArray[np.int64]:
    window = window_of(view)
    result = np.zeros_like(places)
    for axis, place in enumerate(np.unravel_index(np.maximum(places, 0), view.source)):
        number = np.arange(view.result[axis]).reshape(-1, *(1,) * (view.axes - 1 - axis))
        tap = (place - (number * window.stride[axis] - window.padding[axis])) // window.dilation[axis]
        result = result * window.kernel[axis] + tap
    return result


def _in_padded(view: View, places: NDArray[np.int64]) -> NDArray[np.int64]:
    window = window_of(view)
    result = np.zeros_like(places)
    for axis, place in enumerate(np.unravel_index(np.maximum(places, 0), view.source)):
        size = view.source[axis] + 2 * window.padding[axis]
        result = result * size + place + window.padding[axis]
    return result


def _over_channels(view: View, places: NDArray[np.int64]) -> NDArray[np.int64]:
    planes = np.arange(math.prod(view.batch)).reshape(*view.batch, *(1,) * view.axes)
    return places + planes * math.prod(view.source)
