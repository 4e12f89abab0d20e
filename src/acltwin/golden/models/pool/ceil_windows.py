"""Windows that exist only in ceil mode, or extend beyond the plane, are wrong."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.models.lost import Keep, Mask, losing
from acltwin.golden.models.model import Model, Page, Prediction
from acltwin.golden.models.view import View
from acltwin.golden.models.windows import window_counts, window_of
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Only windows at the border of the plane are wrong or missing; with ceil mode, only the last ones.",
    arises="The number of windows is computed without ceil mode, or windows that are not entirely inside the plane are "
    "skipped.",
    wrong="out = (n + 2 * p - d * (k - 1) - 1) // s + 1            # whatever ceil_mode says",
    right="out = ceil_div(n + 2 * p - d * (k - 1) - 1, s) + 1      # less one if the last begins in the padding",
    fix="Take the number of windows from the shape of the result, and clip windows to the plane.",
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    if not spec.is_gradient:
        return tuple(
            model
            for name, words, kept in _WINDOWS
            for model in losing(spec, name, "border", f"windows that {words}", kept, 1.0)
        )
    return tuple(
        Model(f"{name} lost", "border", f"windows that {words} are left out", _without(kept))
        for name, words, kept in _WINDOWS
    )


def _floor_windows(view: View) -> Mask | None:
    if not view.arguments["ceil_mode"]:
        return None
    window = window_of(view)
    counts = [
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, p, d in zip(
            _plane(view), window.kernel, window.stride, window.padding, window.dilation, strict=True
        )
    ]
    return _every(view, lambda axis, number: number < counts[axis])


def _overhanging(view: View) -> Mask:
    window = window_of(view)

    def whole(axis: int, number: NDArray[np.int64]) -> Mask:
        last = number * window.stride[axis] - window.padding[axis] + (window.kernel[axis] - 1) * window.dilation[axis]
        return np.asarray(last < _plane(view)[axis])

    return _every(view, whole)


def _padded(view: View) -> Mask:
    window = window_of(view)
    return _every(view, lambda axis, number: number * window.stride[axis] >= window.padding[axis])


_WINDOWS: tuple[tuple[str, str, Keep], ...] = (
    ("ceil mode's windows", "only ceil mode has", _floor_windows),
    ("overhanging windows", "extend beyond the end of the plane", _overhanging),
    ("padded windows", "begin in the padding", _padded),
)


def _plane(view: View) -> tuple[int, ...]:
    return view.image.shape[-view.axes :]


def _every(view: View, keeps: Callable[[int, NDArray[np.int64]], Mask]) -> Mask:
    """Windows that are kept along every axis."""
    counts = window_counts(view)
    kept = np.ones(counts, bool)
    for axis, size in enumerate(counts):
        kept &= keeps(axis, np.arange(size)).reshape(-1, *(1,) * (view.axes - 1 - axis))
    return kept


def _without(kept: Keep) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        mask = kept(view)
        return None if mask is None else view.documented_on(np.where(mask, view.x, 0.0))

    return predict
