"""Windows that lie elsewhere than the document says."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.dtypes import Array
from acltwin.golden.models.model import Maxima, Model, Prediction
from acltwin.golden.models.view import View
from acltwin.golden.models.windows import Window, pooled, window_of
from acltwin.ops.spec import OpSpec


def models(spec: OpSpec) -> tuple[Model, ...]:
    found = []
    for changes, cost in ((_CHANGES, 1.0), (_TOGETHER, 1.1)):
        for name, sentence, change in changes:
            predict = _gathered(change) if spec.is_gradient else _pooled(change)
            found.append(Model(name, "index rule", sentence, predict, cost=cost))
    return tuple(found)


def _ones(window: Window) -> tuple[int, ...]:
    return (1,) * len(window.kernel)


def _zeros(window: Window) -> tuple[int, ...]:
    return (0,) * len(window.kernel)


_CHANGES: tuple[tuple[str, str, Callable[[Window], Window]], ...] = (
    ("dilation ignored", "dilation is taken for 1", lambda window: window.but(dilation=_ones(window))),
    ("padding ignored", "padding is taken for 0", lambda window: window.but(padding=_zeros(window))),
    ("stride taken for the kernel", "stride is taken for the kernel size", lambda w: w.but(stride=w.kernel)),
    ("stride taken for 1", "stride is taken for 1", lambda window: window.but(stride=_ones(window))),
    ("kernel one short", "every window is one cell short", lambda w: w.but(kernel=tuple(k - 1 for k in w.kernel))),
    ("kernel one long", "every window is one cell long", lambda w: w.but(kernel=tuple(k + 1 for k in w.kernel))),
    ("kernel reversed", "kernel sizes belong to the axes in reverse order", lambda w: w.but(kernel=w.kernel[::-1])),
    ("stride reversed", "strides belong to the axes in reverse order", lambda w: w.but(stride=w.stride[::-1])),
    ("padding reversed", "paddings belong to the axes in reverse order", lambda w: w.but(padding=w.padding[::-1])),
    ("dilation reversed", "dilations belong to the axes in reverse order", lambda w: w.but(dilation=w.dilation[::-1])),
    (
        "first kernel size for all",
        "the first kernel size is used for all axes",
        lambda w: w.but(kernel=(w.kernel[0],) * len(w.kernel)),
    ),
    (
        "first stride for all",
        "the first stride is used for all axes",
        lambda w: w.but(stride=(w.stride[0],) * len(w.stride)),
    ),
    (
        "last kernel size for all",
        "the last kernel size is used for all axes",
        lambda w: w.but(kernel=(w.kernel[-1],) * len(w.kernel)),
    ),
    (
        "last stride for all",
        "the last stride is used for all axes",
        lambda w: w.but(stride=(w.stride[-1],) * len(w.stride)),
    ),
    (
        "first padding for all",
        "the first padding is used for all axes",
        lambda w: w.but(padding=(w.padding[0],) * len(w.padding)),
    ),
    (
        "dilation times the kernel",
        "a window is as long as its dilated kernel, and no cell in it is left out",
        lambda w: w.but(
            kernel=tuple((k - 1) * d + 1 for k, d in zip(w.kernel, w.dilation, strict=True)), dilation=_ones(w)
        ),
    ),
    ("padding doubled", "padding is subtracted twice", lambda w: w.but(padding=tuple(2 * p for p in w.padding))),
)

# Several arguments at once: named only where one alone does not explain it.
_TOGETHER: tuple[tuple[str, str, Callable[[Window], Window]], ...] = (
    (
        "window reversed",
        "kernel, stride, padding and dilation belong to the axes in reverse order",
        lambda w: Window(w.kernel[::-1], w.stride[::-1], w.padding[::-1], w.dilation[::-1]),
    ),
    (
        "kernel and stride reversed",
        "kernel and stride belong to the axes in reverse order",
        lambda w: w.but(kernel=w.kernel[::-1], stride=w.stride[::-1]),
    ),
    (
        "kernel, stride and padding reversed",
        "kernel, stride and padding belong to the axes in reverse order",
        lambda w: w.but(kernel=w.kernel[::-1], stride=w.stride[::-1], padding=w.padding[::-1]),
    ),
)


def _pooled(change: Callable[[Window], Window]) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        best, places = pooled(view, change(window_of(view)))
        return answer(view, best, places)

    return predict


def answer(view: View, best: Array, places: NDArray[np.int64]) -> Prediction:
    """Both results of a pooling, in their dtypes; where nothing won, nobody knows the index."""
    indices = view.documented.indices
    assert indices is not None
    return Maxima(view.exactly(best), places.astype(indices.dtype), places < 0)


def _gathered(change: Callable[[Window], Window]) -> Callable[[View], Prediction]:
    """A gradient that asks, for every cell, which windows cover it: those it overlooks are lost."""

    def predict(view: View) -> Prediction:
        window = change(window_of(view))
        return _keeping(view, covers(view, window))

    return predict


def covers(view: View, window: Window) -> NDArray[np.bool_]:
    """Whether each index lies in its window."""
    places = np.unravel_index(view.indices.reshape(view.x.shape), view.result)
    inside = np.ones(view.x.shape, bool)
    for axis, place in enumerate(places):
        number = np.arange(view.source[axis]).reshape(-1, *(1,) * (view.axes - 1 - axis))
        offset = place - (number * window.stride[axis] - window.padding[axis])
        step = window.dilation[axis]
        inside &= (offset >= 0) & (offset % step == 0) & (offset // step < window.kernel[axis])
    return inside


def _keeping(view: View, kept: NDArray[np.bool_]) -> Prediction:
    return view.documented_on(np.where(kept, view.x, 0.0))
