"""Sources of a cell that are not added but combined in another way."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from acltwin.golden.dtypes import Array
from acltwin.golden.fills import adds
from acltwin.golden.models.model import Model, Prediction
from acltwin.golden.models.view import View
from acltwin.golden.rule import Limits
from acltwin.ops.spec import OpSpec


def models(spec: OpSpec) -> tuple[Model, ...]:
    if not adds(spec):
        return ()
    return (
        Model(
            "last one stays",
            "accumulation",
            "a cell keeps the last of its sources instead of their sum",
            _last,
            documented="sum",
            observed="last source",
        ),
        Model(
            "first one stays",
            "accumulation",
            "a cell keeps the first of its sources instead of their sum",
            _first,
            documented="sum",
            observed="first source",
        ),
        Model(
            "largest one stays",
            "accumulation",
            "a cell keeps the largest of its sources instead of their sum",
            _largest,
            documented="sum",
            observed="maximum",
        ),
        Model(
            "mean",
            "accumulation",
            "a cell holds the mean of its sources instead of their sum",
            _divided(_terms),
            documented="sum",
            observed="sum / count",
        ),
        Model(
            "divided by the ratio",
            "accumulation",
            "the sum is divided by the ratio of the planes' sizes",
            _divided(_ratio),
            documented="sum",
            observed="sum * result / source",
            cost=1.05,
        ),
        Model("last source lost", "accumulation", "the last source of every cell is lost", _without(-1), cost=1.1),
        Model("first source lost", "accumulation", "the first source of every cell is lost", _without(0), cost=1.1),
        Model("doubled", "accumulation", "every source is added twice", lambda view: view.documented_on(2 * view.x)),
        Model(
            "first source doubled",
            "accumulation",
            "the first source of every cell is added twice",
            _first_twice,
            cost=1.1,
        ),
        Model("negated", "accumulation", "every source is subtracted", lambda view: view.documented_on(-view.x)),
        Model(
            "signs lost",
            "accumulation",
            "the magnitudes of the sources are added",
            lambda view: view.documented_on(np.abs(view.x)),
        ),
        Model(
            "sign of the sum lost",
            "accumulation",
            "the result is the magnitude of the sum",
            lambda view: view.through(lambda sums: view.exactly_shaped(np.abs(sums))),
            cost=1.1,
        ),
    )


def _last(view: View) -> Prediction:
    return view.exactly(view.folded(lambda total, source: source))


def _first(view: View) -> Prediction:
    return view.exactly(view.folded(lambda total, source: source, reverse=True))


def _largest(view: View) -> Prediction:
    best = view.folded(np.maximum, start=-np.inf)
    return view.exactly(np.where(np.isneginf(best) & (_count(view) == 0), 0.0, best))


def _divided(divisor: Callable[[View], Array | float]) -> Callable[[View], Prediction]:
    """The sum, divided in float64, in float32, or in the dtype after it was rounded: the limits hold all three."""

    def predict(view: View) -> Prediction:
        by = divisor(view)
        ways: tuple[Callable[[Array], Array], ...] = (
            lambda sums: view.exactly_shaped(sums / by),
            lambda sums: view.exactly_shaped((sums / by).astype(np.float32).astype(np.float64)),
            lambda sums: view.exactly_shaped(view.exactly_shaped(sums).astype(np.float64) / by),
        )
        found = [limits for way in ways if (limits := view.through(way)) is not None]
        if not found:
            return None
        low = functools.reduce(np.minimum, [limits.low for limits in found])
        high = functools.reduce(np.maximum, [limits.high for limits in found])
        return Limits(low, high, found[0].error, found[0].judged)

    return predict


def _terms(view: View) -> Array:
    return np.maximum(view.documented.count, 1)


def _ratio(view: View) -> float:
    return math.prod(view.source) / math.prod(view.result)


def _count(view: View) -> Array:
    return view.folded(lambda total, source: total + 1)


def _without(which: int) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        changed = np.ascontiguousarray(view.x).copy()
        flat = changed.reshape(-1)
        if which == 0 and view.ranked:
            flat[view.ranked[0][1]] = 0.0
        elif view.ranked:
            last: dict[str, Array] = {"source": np.full(_count(view).shape, -1, np.int64)}
            for cells, sources in view.ranked:
                last["source"][cells] = sources
            flat[last["source"][last["source"] >= 0]] = 0.0
        return view.documented_on(changed)

    return predict


def _first_twice(view: View) -> Prediction:
    changed = np.ascontiguousarray(view.x).copy()
    if view.ranked:
        changed.reshape(-1)[view.ranked[0][1]] *= 2
    return view.documented_on(changed)
