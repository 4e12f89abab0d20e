"""Windows are in other places, or hold other cells, than documented."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.dtypes import Array
from acltwin.golden.models.exchanges import exchanges
from acltwin.golden.models.model import FaultClass, Maxima, Model, Page, Prediction
from acltwin.golden.models.view import View
from acltwin.golden.models.windows import Window, pooled, window_of
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Cases pass if the stride equals the kernel, all axes have the same sizes, and there is no padding or "
    "dilation. Others take maxima of other cells.",
    arises="One of the four arguments is ignored, doubled, or used along another axis.",
    wrong="start = o * kernel",
    right="start = o * stride - padding; cells = start + tap * dilation",
    fix="Test each argument on its own, with three different numbers for the three axes.",
)
Change = Callable[[Window], Window]


def models(spec: OpSpec) -> tuple[Model, ...]:
    found = []
    for name, cause, sentence, change, cost in (*_CHANGES, *_for_all(), *_in_another_order(spec)):
        predict = _gathered(change) if spec.is_gradient else _pooled(change)
        found.append(Model(name, cause, sentence, predict, cost=cost))
    return tuple(found)


def _ones(window: Window) -> tuple[int, ...]:
    return (1,) * len(window.kernel)


def _shorter(window: Window) -> tuple[int, ...]:
    return tuple(max(size - 1, 1) for size in window.kernel)


def _without_first(window: Window) -> Window:
    """Along an axis with one cell a window nothing is left out."""
    zipped = zip(window.kernel, window.padding, window.dilation, strict=True)
    return window.but(kernel=_shorter(window), padding=tuple(p - d if k > 1 else p for k, p, d in zipped))


Row = tuple[str, FaultClass, str, Change, float]
_CHANGES: tuple[Row, ...] = (
    ("dilation ignored", "index rule", "dilation is ignored", lambda w: w.but(dilation=_ones(w)), 1.0),
    ("padding ignored", "border", "padding is ignored", lambda w: w.but(padding=(0,) * len(w.padding)), 1.0),
    (
        "kernel as stride",
        "index rule",
        "the kernel size is used as the stride",
        lambda w: w.but(stride=w.kernel),
        1.0,
    ),
    ("stride ignored", "index rule", "stride is ignored: windows move by 1", lambda w: w.but(stride=_ones(w)), 1.0),
    ("last cell of windows lost", "border", "every window is one cell short", lambda w: w.but(kernel=_shorter(w)), 1.0),
    ("first cell of windows lost", "border", "every window begins one cell late", _without_first, 1.0),
    (
        "kernel one long",
        "border",
        "every window is one cell long",
        lambda w: w.but(kernel=tuple(k + 1 for k in w.kernel)),
        1.0,
    ),
    (
        "dilation times the kernel",
        "index rule",
        "windows span the dilated kernel, but use every cell in it",
        lambda w: w.but(
            kernel=tuple((k - 1) * d + 1 for k, d in zip(w.kernel, w.dilation, strict=True)), dilation=_ones(w)
        ),
        1.0,
    ),
    (
        "padding doubled",
        "border",
        "padding is subtracted twice",
        lambda w: w.but(padding=tuple(2 * p for p in w.padding)),
        1.0,
    ),
    (
        "windows moved inward",
        "border",
        "windows that extend beyond the end of the plane are moved back into it",
        lambda w: w.but(inward=True),
        1.0,
    ),
)
_WORDS = (("kernel", "kernel size"), ("stride", "stride"), ("padding", "padding"), ("dilation", "dilation"))


def _for_all() -> list[Row]:
    return [
        (
            f"{which} {words} for all",
            "index rule",
            f"the {which} {words} is used for all axes",
            _repeated(field, place),
            1.0,
        )
        for field, words in _WORDS
        for which, place in (("first", 0), ("last", -1))
    ]


def _repeated(field: str, place: int) -> Change:
    return lambda w: w.but(**{field: (getattr(w, field)[place],) * len(w.kernel)})


def _in_another_order(spec: OpSpec) -> list[Row]:
    """One argument, or several: several are named only where one alone does not explain it."""
    groups: list[tuple[str, tuple[str, ...]]] = [(words, (field,)) for field, words in _WORDS]
    groups += [
        ("kernel size and stride", ("kernel", "stride")),
        ("kernel size, stride and padding", ("kernel", "stride", "padding")),
        ("all arguments", tuple(field for field, _ in _WORDS)),
    ]
    return [
        (
            f"{words} with {name}",
            "layout",
            f"{words} belong{'s' if len(fields) == 1 else ''} to the axes with {name}",
            _reordered(fields, order),
            1.0 if len(fields) == 1 else 1.1,
        )
        for words, fields in groups
        for name, order in exchanges(spec)
    ]


def _reordered(fields: tuple[str, ...], order: tuple[int, ...]) -> Change:
    return lambda w: w.but(**{field: tuple(getattr(w, field)[axis] for axis in order) for field in fields})


def _pooled(change: Change) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        best, places = pooled(view, change(window_of(view)))
        return answer(view, best, places)

    return predict


def answer(view: View, best: Array, places: NDArray[np.int64]) -> Prediction:
    """Both results of a pooling, in their dtypes; where nothing won, nobody knows the index, nor the value."""
    indices = view.documented.indices
    assert indices is not None
    nothing = places < 0
    return Maxima(view.exactly(best), places.astype(indices.dtype), nothing, nothing & np.isneginf(best))


def _gathered(change: Change) -> Callable[[View], Prediction]:
    """A gradient that asks, for every cell, which windows cover it: those it overlooks are lost."""

    def predict(view: View) -> Prediction:
        kept = covers(view, change(window_of(view)))
        return view.documented_on(np.where(kept, view.x, 0.0))

    return predict


def covers(view: View, window: Window) -> NDArray[np.bool_]:
    """Whether each index lies in its window."""
    places = np.unravel_index(view.indices.reshape(view.x.shape), view.result)
    inside = np.ones(view.x.shape, bool)
    begins = window.begins(view.source, view.result)
    for axis, (place, begin) in enumerate(zip(places, begins, strict=True)):
        offset = place - begin.reshape(-1, *(1,) * (view.axes - 1 - axis))
        step = window.dilation[axis]
        inside &= (offset >= 0) & (offset % step == 0) & (offset // step < window.kernel[axis])
    return inside
