"""Windows that exist only because of ceil mode, or hang over the edge."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.models.model import Model, Prediction
from acltwin.golden.models.view import View
from acltwin.golden.models.windows import window_of
from acltwin.ops.spec import OpSpec


def models(spec: OpSpec) -> tuple[Model, ...]:
    if not spec.is_gradient:
        return ()
    return (
        Model(
            "ceil mode ignored",
            "border",
            "windows that only ceil mode has are left out",
            _floor_windows,
            documented="the number of windows is rounded up",
            observed="rounded down",
        ),
        Model(
            "overhanging windows lost",
            "border",
            "windows that hang over the end of the plane are left out",
            _overhanging,
        ),
        Model("padded windows lost", "border", "windows that begin in the padding are left out", _padded),
    )


def _floor_windows(view: View) -> Prediction:
    if not view.arguments["ceil_mode"]:
        return None
    window = window_of(view)
    counts = [
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, p, d in zip(
            view.result, window.kernel, window.stride, window.padding, window.dilation, strict=True
        )
    ]
    return _kept(view, lambda axis, number: number < counts[axis])


def _overhanging(view: View) -> Prediction:
    window = window_of(view)

    def whole(axis: int, number: NDArray[np.int64]) -> NDArray[np.bool_]:
        last = number * window.stride[axis] - window.padding[axis] + (window.kernel[axis] - 1) * window.dilation[axis]
        return np.asarray(last < view.result[axis])

    return _kept(view, whole)


def _padded(view: View) -> Prediction:
    window = window_of(view)
    return _kept(view, lambda axis, number: number * window.stride[axis] >= window.padding[axis])


def _kept(view: View, keeps: Callable[[int, NDArray[np.int64]], NDArray[np.bool_]]) -> Prediction:
    kept = np.ones(view.x.shape, bool)
    for axis, size in enumerate(view.source):
        kept &= keeps(axis, np.arange(size)).reshape(-1, *(1,) * (view.axes - 1 - axis))
    return view.documented_on(np.where(kept, view.x, 0.0))
