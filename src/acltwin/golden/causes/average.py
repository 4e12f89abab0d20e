"""What average pooling and its gradient can get wrong: divisors and windows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from acltwin.golden.cases.dtypes import facts, rounded
from acltwin.golden.cases.family import takes_windows
from acltwin.golden.cases.weights import Averaging
from acltwin.golden.cases.windows import Window
from acltwin.golden.causes.model import Catalogue, Model, Prediction, Step, exchanges, model
from acltwin.golden.causes.pool_windows import SHARED_CHANGES, Change, window_changes
from acltwin.golden.causes.view import View
from acltwin.golden.judge.bound import Bound, error_of
from acltwin.golden.judge.expected import weighed_result
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
    for name, words, change in _FIXED if takes_windows(spec) else _SHARED:
        yield Step(name, words, change, size, words, "accumulation")
    if takes_windows(spec):
        words = "the given divisor is ignored"
        yield Step("divisor ignored", words, {"divisor": 0}, "divisor_override", size, "accumulation", along_some=False)
        words = "sums are divided by the given divisor and by the size of the window"
        yield Step("divided twice", words, {"both": True}, "divisor_override", words, "accumulation", along_some=False)
    yield Step("not divided", "sums are not divided", {"count": "none", "divisor": 0}, size, "1", "accumulation")
    if spec.is_gradient:
        words = "sums are divided by the number of gradients that arrive"
        yield Step("mean of gradients", words, {"count": "gradients"}, size, words, "accumulation", along_some=False)


Row = tuple[str, str, dict[str, Any]]
_FIXED: tuple[Row, ...] = (
    ("padding counted", "padding counts, whatever count_include_pad says", {"count": "padding"}),
    ("padding not counted", "padding does not count, whatever count_include_pad says", {"count": "cells"}),
    ("padding before counted", "of the padding, only that before the cells counts", {"count": "before"}),
    ("padding behind counted", "of the padding, only that behind the cells counts", {"count": "behind"}),
    ("kernel divides", "sums are divided by the size of the kernel, whatever a window covers", {"count": "kernel"}),
)
_SHARED: tuple[Row, ...] = (
    ("longest window divides", "sums are divided by the ratio of the sizes, rounded up", {"count": "kernel"}),
    ("shortest window divides", "sums are divided by the ratio of the sizes, rounded down", {"count": "stride"}),
    ("ratio divides", "sums are divided by the ratio of the sizes", {"count": "ratio"}),
)


@average.cause(
    "Sums are multiplied by a reciprocal of 16 bits",
    looks="Windows whose size is a power of two pass. Others are wrong by a small factor, in every dtype.",
    arises="1 / size is computed once and kept in the dtype of the tensor.",
    wrong="share = half(1) / half(size); out = total * share",
    right="out = total / float(size)",
    fix="Divide in float32, or keep the reciprocal in float32; test with windows of 3 and 7 cells.",
)
def reciprocal(spec: OpSpec) -> Iterator[Model | Step]:
    for name in ("float16", "bfloat16", "dtype"):
        words = f"sums are multiplied by 1 / size, rounded to {'the' if name == 'dtype' else ''} {name}".replace(
            "  ", " "
        )
        change = {"reciprocal": name}
        yield Step(f"reciprocal in {name}", words, change, "/ size", words, "rounding", along_some=False, cost=1.05)
        sentence = f"{words}, for all axes together"
        yield model(f"reciprocal in {name}, of all axes", "rounding", sentence, _by_reciprocal, name, cost=1.0)


def _by_reciprocal(view: View, name: str) -> Prediction:
    """The size of a window is a whole number, its reciprocal is rounded once; sums are multiplied with it."""
    rule, kind = view.rule, view.case.dtype if name == "dtype" else name
    assert isinstance(rule, Averaging)
    if facts(kind).bits > 11:
        return None
    plain = replace(rule, count="none", divisor=0).tables(view.source, view.result)
    shares = np.ones(())
    for table in view.tables:
        largest = table.weights.max(0 if view.spec.is_gradient else 1)
        shares = shares[..., None] * np.where(largest > 0, largest, 1.0)
    held = rounded(1 / np.rint(1 / shares), facts(kind).dtype).astype(np.float64)
    if view.spec.is_gradient:
        return weighed_result(view.x * held, plain, view.case.dtype, view.channels_last)
    sums = weighed_result(view.x, plain, view.case.dtype, view.channels_last)
    laid = view.laid(np.broadcast_to(held, (*view.batch, *view.result)))
    error = error_of(sums, Bound()) * laid + 2.0**-23 * np.abs(sums.value * laid)
    return view.between(sums.value * laid, np.where(np.isfinite(error), error, 0.0))


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
    if not takes_windows(spec):
        for name, cause, sentence, change in SHARED_CHANGES:
            yield Step(name, sentence, _windows(change), cause=cause)
        for name, order in exchanges(spec):
            sentence, change = f"windows share the axes with {name}", partial(Window.but, order=order)
            yield Step(f"windows with {name}", sentence, _windows(change), cause="layout", along_some=False)
        return
    for name, cause, sentence, change, cost in window_changes(spec):
        some = cause != "layout" and not name.endswith("for all")
        yield Step(name, sentence, _windows(change), cause=cause, cost=cost, along_some=some)
    for lost, words in (("ceil", "only ceil mode has"), ("overhanging", "extend beyond the end of the plane")):
        sentence = f"windows that {words} are left out"
        yield Step(f"{lost} windows left out", sentence, {"lost": lost}, cause="border")
