"""What average pooling and its gradient can get wrong: divisors and windows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from acltwin.golden.cases.family import takes_windows
from acltwin.golden.cases.windows import Window
from acltwin.golden.causes.model import Catalogue, FaultClass, Model, Prediction, Step, exchanges, model
from acltwin.golden.causes.view import View
from acltwin.ops.spec import OpSpec

average = Catalogue("average")


@average.cause(
    "Sums are divided by another number",
    looks="Cells at the border are wrong by a factor, or all cells are where a divisor is given.",
    arises="Padding counts if `count_include_pad` says so, cells beyond the padding never do, and `divisor_override` "
    "replaces them all.",
    wrong="out = total / (kd * kh * kw)",
    right="out = total / (divisor_override or size_of_window(o, count_include_pad))",
    fix="Compute the size of every window from its ends; test with padding, in ceil mode, and with a divisor.",
)
def divisor(spec: OpSpec) -> Iterator[Step]:
    size = "size of the window"
    if takes_windows(spec):
        for name, words, count in (
            ("padding counted", "padding counts, whatever count_include_pad says", "padding"),
            ("padding not counted", "padding does not count, whatever count_include_pad says", "cells"),
            ("kernel divides", "sums are divided by the size of the kernel, whatever a window covers", "kernel"),
        ):
            yield Step(name, words, {"count": count}, size, words, "accumulation", along_some=False)
        words = "the given divisor is ignored"
        yield Step("divisor ignored", words, {"divisor": 0}, "divisor_override", size, "accumulation", along_some=False)
    else:
        words = "sums are divided by the ratio of the sizes, rounded up, not by the size of the window"
        yield Step("longest window divides", words, {"count": "kernel"}, size, words, "accumulation", along_some=False)
    change = {"count": "none", "divisor": 0}
    yield Step("not divided", "sums are not divided", change, size, "1", "accumulation", along_some=False)
    if spec.is_gradient:
        words = "sums are divided by the number of gradients that arrive"
        yield Step("mean of gradients", words, {"count": "gradients"}, size, words, "accumulation", along_some=False)


@average.cause(
    "Sums are multiplied by a reciprocal of 16 bits",
    looks="Windows whose size is a power of two pass. Others are wrong by a small factor, in every dtype.",
    arises="1 / size is computed once and kept in the dtype of the tensor.",
    wrong="share = half(1) / half(size); out = total * share",
    right="out = total / float(size)",
    fix="Divide in float32, or keep the reciprocal in float32; test with windows of 3 and 7 cells.",
)
def reciprocal(spec: OpSpec) -> Iterator[Step]:
    for name in ("float16", "bfloat16"):
        words = f"sums are multiplied by 1 / size, rounded to {name}"
        yield Step(f"reciprocal in {name}", words, {"reciprocal": name}, "/ size", words, "rounding", along_some=False)


@average.cause(
    "The largest source is taken instead of the average",
    looks="Equal values pass; every other window gives its maximum.",
    arises="The kernel was derived from one for max pooling.",
    wrong="out = max(out, x)",
    right="total += x; out = total / size",
    fix="Add and divide.",
)
def largest(spec: OpSpec) -> Iterator[Model]:
    yield model("largest source", "accumulation", "the largest source is taken instead of the average", _largest)


def _largest(view: View) -> Prediction:
    best = view.x
    first = best.ndim - view.axes
    for axis, table in enumerate(view.tables):
        rows = np.moveaxis(best, first + axis, -1)[..., None, :]
        found = np.where(table.reached.any(1), np.where(table.reached, rows, -np.inf).max(-1), 0.0)
        best = np.moveaxis(found, -1, first + axis)
    return view.exactly(best)


Change = Callable[[Window], Window]


def _windows(change: Change) -> dict[str, Any]:
    return {"window": lambda rule: change(rule.window)}


@average.cause(
    "Windows are in other places, or hold other cells, than documented",
    looks="Cases pass if the stride equals the kernel, all axes have the same sizes, and there is no padding.",
    arises="One of the arguments is ignored, doubled, or used along another axis; or the windows of adaptive pooling "
    "are confused with those of a fixed size.",
    wrong="start = o * kernel",
    right="start = o * stride - padding        # adaptive: o * n // m, up to ceil_div((o + 1) * n, m)",
    fix="Test each argument on its own, with different numbers for the axes; and sizes such as 7 -> 4.",
)
def average_windows(spec: OpSpec) -> Iterator[Step]:
    for name, cause, sentence, change in _FIXED if takes_windows(spec) else _ADAPTIVE:
        yield Step(name, sentence, _windows(change), cause=cause, along_some=False)
    for lost, words in (("ceil", "only ceil mode has"), ("overhanging", "extend beyond the end of the plane")):
        if takes_windows(spec):
            sentence = f"windows that {words} are left out"
            yield Step(f"{lost} windows left out", sentence, {"lost": lost}, cause="border", along_some=False)
    fields = (("kernel", "kernel size"), ("stride", "stride"), ("padding", "padding")) if takes_windows(spec) else ()
    for name, order in exchanges(spec):
        for field, words in fields:
            sentence = f"the {words} belongs to the axes with {name}"
            change = _reordered(field, order)
            yield Step(f"{words} with {name}", sentence, _windows(change), cause="layout", along_some=False)


def _reordered(field: str, order: tuple[int, ...]) -> Change:
    return lambda w: w.but(**{field: tuple(getattr(w, field)[axis] for axis in order)})


def _longer(window: Window, by: int) -> Window:
    return window.but(kernel=tuple(max(size + by, 1) for size in window.kernel))


_FIXED: tuple[tuple[str, FaultClass, str, Change], ...] = (
    ("padding ignored", "border", "padding is ignored", lambda w: w.but(padding=(0,) * len(w.padding))),
    ("padding doubled", "border", "padding is twice as wide", lambda w: w.but(padding=tuple(2 * p for p in w.padding))),
    ("kernel as stride", "index rule", "the kernel size is used as the stride", lambda w: w.but(stride=w.kernel)),
    ("stride ignored", "index rule", "windows move by 1", lambda w: w.but(stride=(1,) * len(w.stride))),
    ("windows moved inward", "border", "windows that stick out are moved back", lambda w: w.but(inward=True)),
    ("windows one long", "border", "every window is one cell long", lambda w: _longer(w, 1)),
    ("windows one short", "border", "every window is one cell short", lambda w: _longer(w, -1)),
    (
        "adaptive windows",
        "index rule",
        "windows share the plane, as in adaptive pooling",
        lambda w: w.but(adaptive=True),
    ),
)
_ADAPTIVE: tuple[tuple[str, FaultClass, str, Change], ...] = (
    ("ends rounded down", "index rule", "ends are rounded down", lambda w: w.but(rounding=("floor", "floor"))),
    ("beginnings rounded up", "index rule", "beginnings are rounded up", lambda w: w.but(rounding=("ceil", "ceil"))),
    ("ends to nearest", "index rule", "ends are rounded to nearest", lambda w: w.but(rounding=("floor", "nearest"))),
    (
        "both to nearest",
        "index rule",
        "beginnings and ends are rounded to nearest",
        lambda w: w.but(rounding=("nearest", "nearest")),
    ),
    (
        "windows of one size",
        "index rule",
        "windows have the ratio rounded up as their size, and rounded down as their step",
        lambda w: w.but(adaptive=False),
    ),
    (
        "ratio rounded down",
        "index rule",
        "windows have the ratio rounded down as their size and step",
        lambda w: w.but(adaptive=False, kernel=w.stride),
    ),
    (
        "ratio rounded up",
        "index rule",
        "windows have the ratio rounded up as their size and step",
        lambda w: w.but(adaptive=False, stride=w.kernel),
    ),
    (
        "windows that do not overlap",
        "index rule",
        "windows begin where the one before ends",
        lambda w: w.but(apart=True),
    ),
    ("last cell of windows lost", "border", "windows of several cells are one cell short", lambda w: w.but(longer=-1)),
    ("windows one long", "border", "windows take one cell too many", lambda w: w.but(longer=1)),
)
