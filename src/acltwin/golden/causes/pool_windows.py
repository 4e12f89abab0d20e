"""What max pooling and its gradient can get wrong about their windows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.family import takes_windows
from acltwin.golden.cases.windows import Window
from acltwin.golden.causes.lost import Keep, Mask, losing
from acltwin.golden.causes.model import Catalogue, FaultClass, Model, Prediction, exchanges, model
from acltwin.golden.causes.view import View, along
from acltwin.golden.causes.windows import answer, pooled, window_counts, window_of
from acltwin.ops.spec import OpSpec

pool = Catalogue("pool")


@pool.cause(
    "Windows that exist only in ceil mode, or extend beyond the plane, are wrong",
    looks="Only windows at the border of the plane are wrong or missing; with ceil mode, only the last ones.",
    arises="The number of windows is computed without ceil mode, or windows that are not entirely inside the plane are "
    "skipped.",
    wrong="out = (n + 2 * p - d * (k - 1) - 1) // s + 1            # whatever ceil_mode says",
    right="out = ceil_div(n + 2 * p - d * (k - 1) - 1, s) + 1      # less one if the last begins in the padding",
    fix="Take the number of windows from the shape of the result, and clip windows to the plane.",
)
def ceil_windows(spec: OpSpec) -> Iterator[Model]:
    if not takes_windows(spec):
        return
    for name, words, kept in (
        ("ceil mode's windows", "only ceil mode has", _floor_windows),
        ("overhanging windows", "extend beyond the end of the plane", _overhanging),
        ("padded windows", "begin in the padding", _padded),
    ):
        if spec.is_gradient:
            yield model(f"{name} lost", "border", f"windows that {words} are left out", _without, kept)
        else:
            yield from losing(spec, name, "border", f"windows that {words}", kept, 1.0)


def _floor_windows(view: View) -> Mask | None:
    if not view.arguments["ceil_mode"]:
        return None
    window = window_of(view)
    each = zip(_plane(view), window.kernel, window.stride, window.padding, window.dilation, strict=True)
    counts = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in each]
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


def _plane(view: View) -> tuple[int, ...]:
    return view.image.shape[-view.axes :]


def _every(view: View, keeps: Callable[[int, NDArray[np.int64]], Mask]) -> Mask:
    """Windows that are kept along every axis."""
    counts = window_counts(view)
    kept = np.ones(counts, bool)
    for axis, size in enumerate(counts):
        kept &= along(axis, view.axes, keeps(axis, np.arange(size)))
    return kept


def _without(view: View, kept: Keep) -> Prediction:
    mask = kept(view)
    return None if mask is None else view.documented_on(np.where(mask, view.x, 0.0))


@pool.cause(
    "Windows are in other places, or hold other cells, than documented",
    looks="Cases pass if the stride equals the kernel, all axes have the same sizes, and there is no padding or "
    "dilation. Others take maxima of other cells.",
    arises="One of the four arguments is ignored, doubled, or used along another axis.",
    wrong="start = o * kernel",
    right="start = o * stride - padding; cells = start + tap * dilation",
    fix="Test each argument on its own, with three different numbers for the three axes.",
)
def window(spec: OpSpec) -> Iterator[Model]:
    predict = _gathered if spec.is_gradient else _pooled
    if not takes_windows(spec):
        return
    for name, cause, sentence, change, cost in window_changes(spec):
        yield model(name, cause, sentence, predict, change, cost=cost)
    for field, words in _WORDS[1:]:
        for count in range(1, len(spec.axes)):
            for axes in combinations(range(len(spec.axes)), count):
                where = " and ".join(spec.axes[axis] for axis in axes)
                sentence = f"the {words} along {where} is ignored"
                yield model(
                    f"{words} along {where} ignored", "index rule", sentence, predict, _neutral(field, axes), cost=1.1
                )


def window_changes(spec: OpSpec) -> Iterator[tuple[str, FaultClass, str, Change, float]]:
    """Name, class, sentence, what is different about the windows, and the cost of a model."""
    given = {argument.python_name for argument in spec.inputs}
    fields = [(field, words) for field, words in _WORDS if field != "dilation" or "dilation" in given]
    for name, cause, sentence, change in _CHANGES:
        if "dilat" not in name or "dilation" in given:
            yield name, cause, sentence, change, 1.0
    for name, sentence, change in _SIDES if "pads" in given else ():
        yield name, "layout", sentence, change, 1.0
    for field, words in fields:
        for which, place in (("first", 0), ("last", -1)):
            sentence = f"the {which} {words} is used for all axes"
            yield f"{which} {words} for all", "index rule", sentence, _repeated(field, place), 1.0
    groups: list[tuple[str, tuple[str, ...]]] = [(words, (field,)) for field, words in fields]
    groups += [  # named only where one of them does not explain it
        ("kernel size and stride", ("kernel", "stride")),
        ("kernel size, stride and padding", ("kernel", "stride", "padding")),
        ("all arguments", tuple(field for field, _ in _WORDS)),
    ]
    for words, names in groups:
        belong, cost = ("belongs", 1.0) if len(names) == 1 else ("belong", 1.1)
        for name, order in exchanges(spec):
            sentence = f"{words} {belong} to the axes with {name}"
            yield f"{words} with {name}", "layout", sentence, _reordered(names, order), cost


@pool.cause(
    "Windows share the plane in another way",
    looks="Cases pass where the size of the result divides the size of the input. In others, windows miss cells at "
    "their ends, take cells of a neighbour, or do not overlap where they should.",
    arises="Beginnings are rounded down and ends are rounded up; a kernel uses one size for all windows, or rounds "
    "both in the same way.",
    wrong="begin = o * (n // m); end = begin + n // m",
    right="begin = o * n // m; end = ceil_div((o + 1) * n, m)",
    fix="Compute both ends from the whole numbers n and m, and test with sizes such as 7 -> 4 and 4 -> 7.",
)
def shared_windows(spec: OpSpec) -> Iterator[Model]:
    if takes_windows(spec):
        return
    predict = _gathered if spec.is_gradient else _pooled
    for name, cause, sentence, change in SHARED_CHANGES:
        yield model(name, cause, sentence, predict, change)
    for name, order in exchanges(spec):
        sentence = f"windows share the axes with {name}"
        yield model(f"windows with {name}", "layout", sentence, predict, _exchanged(order))


Change = Callable[[Window], Window]
_DOWN, _UP = ("floor", "floor"), ("ceil", "ceil")
SHARED_CHANGES: tuple[tuple[str, FaultClass, str, Change], ...] = (
    ("ends rounded down", "index rule", "ends of windows are rounded down", lambda w: w.but(rounding=_DOWN)),
    ("beginnings rounded up", "index rule", "beginnings of windows are rounded up", lambda w: w.but(rounding=_UP)),
    (
        "ends to nearest",
        "index rule",
        "ends of windows are rounded to nearest",
        lambda w: w.but(rounding=("floor", "nearest")),
    ),
    (
        "both to nearest",
        "index rule",
        "beginnings and ends of windows are rounded to nearest",
        lambda w: w.but(rounding=("nearest", "nearest")),
    ),
    (
        "windows of one size",
        "index rule",
        "windows have one size, the ratio rounded up, and begin at multiples of the ratio rounded down",
        lambda w: w.but(adaptive=False),
    ),
    (
        "windows of the ratio rounded down",
        "index rule",
        "windows have the ratio rounded down as their size and step",
        lambda w: w.but(adaptive=False, kernel=w.stride),
    ),
    (
        "windows of the ratio rounded up",
        "index rule",
        "windows have the ratio rounded up as their size and step",
        lambda w: w.but(adaptive=False, stride=w.kernel),
    ),
    ("last cell of windows lost", "border", "windows of several cells are one cell short", lambda w: w.but(longer=-1)),
    ("windows one long", "border", "windows take one cell too many", lambda w: w.but(longer=1)),
    (
        "windows that do not overlap",
        "index rule",
        "every window begins where the one before ends",
        lambda w: w.but(apart=True),
    ),
)


def _exchanged(order: tuple[int, ...]) -> Change:
    return lambda w: w.but(order=order)


def _neutral(field: str, axes: tuple[int, ...]) -> Change:
    def change(window: Window) -> Window:
        usual = {"stride": window.kernel, "padding": (0,) * len(window.kernel)}.get(field, _ones(window))
        given = getattr(window, field)
        return window.but(**{field: tuple(usual[n] if n in axes else given[n] for n in range(len(given)))})

    return change


def _ones(window: Window) -> tuple[int, ...]:
    return (1,) * len(window.kernel)


def _shorter(window: Window) -> tuple[int, ...]:
    return tuple(max(size - 1, 1) for size in window.kernel)


def _without_first(window: Window) -> Window:
    """Along an axis with one cell a window nothing is left out."""
    zipped = zip(window.kernel, window.padding, window.dilation, strict=True)
    return window.but(kernel=_shorter(window), padding=tuple(p - d if k > 1 else p for k, p, d in zipped))


def _spanned(window: Window) -> Window:
    spans = tuple((k - 1) * d + 1 for k, d in zip(window.kernel, window.dilation, strict=True))
    return window.but(kernel=spans, dilation=_ones(window))


_CHANGES: tuple[tuple[str, FaultClass, str, Change], ...] = (
    ("dilation ignored", "index rule", "dilation is ignored", lambda w: w.but(dilation=_ones(w))),
    ("padding ignored", "border", "padding is ignored", lambda w: w.but(padding=(0,) * len(w.padding))),
    ("kernel as stride", "index rule", "the kernel size is used as the stride", lambda w: w.but(stride=w.kernel)),
    ("stride ignored", "index rule", "stride is ignored: windows move by 1", lambda w: w.but(stride=_ones(w))),
    (
        "adaptive windows",
        "index rule",
        "windows are those of adaptive pooling: they share the plane, whatever kernel and stride are",
        lambda w: w.but(adaptive=True),
    ),
    ("last cell of windows lost", "border", "every window is one cell short", lambda w: w.but(kernel=_shorter(w))),
    ("first cell of windows lost", "border", "every window begins one cell late", _without_first),
    (
        "kernel one long",
        "border",
        "every window is one cell long",
        lambda w: w.but(kernel=tuple(k + 1 for k in w.kernel)),
    ),
    ("dilation times the kernel", "index rule", "windows span the dilated kernel, but use every cell in it", _spanned),
    (
        "padding doubled",
        "border",
        "padding is subtracted twice",
        lambda w: w.but(padding=tuple(2 * p for p in w.padding)),
    ),
    (
        "windows moved inward",
        "border",
        "windows that extend beyond the end of the plane are moved back into it",
        lambda w: w.but(inward=True),
    ),
)
_SIDES: tuple[tuple[str, str, Change], ...] = (
    ("padding behind first", "the padding behind is used before", lambda w: w.but(padding=w.behind)),
    (
        "pads axis by axis",
        "pads are read as those of both sides of H, then those of both sides of W",
        lambda w: w.but(padding=(w.padding[0], w.behind[0])),
    ),
    (
        "padding of both sides before",
        "windows begin before the cells by the padding of both sides",
        lambda w: w.but(padding=tuple(map(sum, zip(w.padding, w.behind, strict=True)))),
    ),
)
_WORDS = (("kernel", "kernel size"), ("stride", "stride"), ("padding", "padding"), ("dilation", "dilation"))


def _repeated(field: str, place: int) -> Change:
    return lambda w: w.but(**{field: (getattr(w, field)[place],) * len(w.kernel)})


def _reordered(fields: tuple[str, ...], order: tuple[int, ...]) -> Change:
    return lambda w: w.but(**{field: tuple(getattr(w, field)[axis] for axis in order) for field in fields})


def _pooled(view: View, change: Change) -> Prediction:
    best, places = pooled(view, change(window_of(view)))
    return answer(view, best, places)


def _gathered(view: View, change: Change) -> Prediction:
    """A gradient that asks, for every cell, which windows cover it: those it overlooks are lost."""
    return view.documented_on(np.where(_covers(view, change(window_of(view))), view.x, 0.0))


def _covers(view: View, window: Window) -> Mask:
    """Whether each index lies in its window."""
    places = np.unravel_index(view.indices.reshape(view.x.shape), view.result)
    inside = np.ones(view.x.shape, bool)
    begins, ends = window.begins(view.source, view.result), window.ends(view.source, view.result)
    for axis, (place, begin, end) in enumerate(zip(places, begins, ends, strict=True)):
        offset = place - along(axis, view.axes, begin)
        inside &= place < along(axis, view.axes, end)
        if window.adaptive:
            inside &= offset >= 0
            continue
        step = window.dilation[axis]
        inside &= (offset >= 0) & (offset % step == 0) & (offset // step < window.kernel[axis])
    return inside
