"""The sources of a cell are not added, but combined in another way."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from acltwin.golden.dtypes import Array
from acltwin.golden.fills import adds
from acltwin.golden.models.index_rule import documented_rule
from acltwin.golden.models.model import Model, Page, Prediction
from acltwin.golden.models.view import View
from acltwin.golden.rule import Limits
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Cells with one source are right, cells with several are not; or every sign, or every number, is wrong in "
    "the same way.",
    arises="A scatter assigns where it should add, or a gradient is divided as in an average.",
    wrong="grad_input[index] = grad_output[o]",
    right="grad_input[index] += grad_output[o]",
    fix="Add every source of a cell once, with its sign; divide nothing.",
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    signs = (
        Model("negated", "accumulation", "every value is negated", lambda view: view.documented_on(-view.x)),
        Model(
            "signs lost",
            "accumulation",
            "the magnitudes of the values are taken",
            lambda view: view.documented_on(np.abs(view.x)),
        ),
    )
    return signs + (_of_sums(spec) if adds(spec) else ())


def _of_sums(spec: OpSpec) -> tuple[Model, ...]:
    rows: list[tuple[str, str, Callable[[View], Prediction], str, float]] = [
        ("last one stays", "a cell keeps the last of its sources instead of their sum", _last, "last source", 1.0),
        ("first one stays", "a cell keeps the first of its sources instead of their sum", _first, "first source", 1.0),
        ("largest one stays", "a cell keeps the largest of its sources instead of their sum", _largest, "maximum", 1.0),
        (
            "mean",
            "a cell holds the mean of its sources instead of their sum",
            _divided(lambda view: np.maximum(view.documented.count, 1)),
            "sum / count",
            1.0,
        ),
        (
            "divided by the ratio",
            "the sum is divided by the ratio of the planes' sizes",
            _divided(lambda view: math.prod(view.source) / math.prod(view.result)),
            "sum * result / source",
            1.05,
        ),
        ("last source lost", "the last source of every cell is lost", _without(-1), "", 1.1),
        ("first source lost", "the first source of every cell is lost", _without(0), "", 1.1),
        ("doubled", "every source is added twice", lambda view: view.documented_on(2 * view.x), "", 1.0),
        ("first source doubled", "the first source of every cell is added twice", _first_twice, "", 1.1),
        (
            "sign of the sum lost",
            "the result is the magnitude of the sum",
            lambda view: view.through(lambda sums: view.exactly_shaped(np.abs(sums))),
            "",
            1.1,
        ),
    ]
    if spec.family == "upsample":
        row = ("divided by the factors", "the sum is divided by the product of the factors", _divided(_factors))
        rows.append((*row, "sum / (s_d s_h s_w)", 1.06))
    return tuple(
        Model(
            name, "accumulation", sentence, predict, documented="sum" if observed else "", observed=observed, cost=cost
        )
        for name, sentence, predict, observed, cost in rows
    )


def _last(view: View) -> Prediction:
    return view.exactly(view.folded(lambda total, source: source))


def _first(view: View) -> Prediction:
    return view.exactly(view.folded(lambda total, source: source, reverse=True))


def _largest(view: View) -> Prediction:
    """Whether a cell holds minus infinity or nothing, a kernel that starts from it cannot know."""
    best = view.folded(np.maximum, start=-np.inf)
    empty = _count(view) == 0
    exact = view.exactly(np.where(empty, 0.0, best))
    unclear = view.shaped(np.isneginf(best) & ~empty)
    return Limits(exact, exact, np.zeros(exact.shape), ~unclear)


def _divided(divisor: Callable[[View], Array | float]) -> Callable[[View], Prediction]:
    """The sum, divided in float64, in float32, or after it was rounded to the dtype."""

    def predict(view: View) -> Prediction:
        by = divisor(view)
        single = np.asarray(by, np.float64).astype(np.float32).astype(np.float64)

        def short(sums: Array) -> Array:
            return view.exactly_shaped(sums).astype(np.float64)

        return view.any_of(
            lambda sums: view.exactly_shaped(sums / by),
            lambda sums: view.exactly_shaped((sums / by).astype(np.float32).astype(np.float64)),
            lambda sums: view.exactly_shaped(short(sums) / by),
            lambda sums: view.exactly_shaped((short(sums) / single).astype(np.float32).astype(np.float64)),
        )

    return predict


def _factors(view: View) -> float:
    rule = documented_rule(view)
    scales = rule.used_scales(view.scales)
    sizes = zip(view.source, view.result, scales, strict=True)
    return math.prod(float(np.float32(scale) if scale else np.float32(large / small)) for large, small, scale in sizes)


def _count(view: View) -> Array:
    return view.folded(lambda total, source: total + 1)


def _without(which: int) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        changed = np.ascontiguousarray(view.x).copy()
        flat = changed.reshape(-1)
        if which == 0 and view.ranked:
            flat[view.ranked[0][1]] = 0.0
        elif view.ranked:
            last = np.full(_count(view).shape, -1, np.int64)
            for cells, sources in view.ranked:
                last[cells] = sources
            flat[last[last >= 0]] = 0.0
        return view.documented_on(changed)

    return predict


def _first_twice(view: View) -> Prediction:
    changed = np.ascontiguousarray(view.x).copy()
    if view.ranked:
        changed.reshape(-1)[view.ranked[0][1]] *= 2
    return view.documented_on(changed)
