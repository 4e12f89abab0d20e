"""Indices that do not fit into the type that holds them."""

from __future__ import annotations

from collections.abc import Callable

from acltwin.golden.models.indexing import reindexed
from acltwin.golden.models.model import Model, Prediction
from acltwin.golden.models.narrow_indices import DROPPED, NARROW, Change
from acltwin.golden.models.view import View
from acltwin.ops.spec import OpSpec

OUTSIDE = (("drop", "are dropped", 0.0), ("clamp", "are clamped to it", 0.03), ("wrap", "count from its end", 0.03))


def models(spec: OpSpec) -> tuple[Model, ...]:
    return tuple(
        Model(
            f"{narrow.name}, outside: {outside}" if narrow.leaves else narrow.name,
            "index rule",
            f"{narrow.sentence}; those outside the plane {words}" if narrow.leaves else narrow.sentence,
            _reading(narrow.change, outside),
            documented="the whole index",
            observed=narrow.observed,
            cost=narrow.cost + more,
        )
        for narrow in (*NARROW, *DROPPED)
        for outside, words, more in (OUTSIDE if narrow.leaves else OUTSIDE[:1])
    )


def _reading(change: Change, outside: str) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        places = change(view.indices)
        return None if (places == view.indices).all() else reindexed(view, places, outside)

    return predict
