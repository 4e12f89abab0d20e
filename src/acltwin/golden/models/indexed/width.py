"""Indices that do not fit into the type that holds them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from acltwin.golden.models.indexing import reindexed
from acltwin.golden.models.model import Model, Page, Prediction
from acltwin.golden.models.narrow_indices import NARROW, Change
from acltwin.golden.models.view import View
from acltwin.ops.spec import OpSpec

OUTSIDE = (("drop", "are dropped", 0.0), ("clamp", "are clamped to it", 0.03), ("wrap", "count from its end", 0.03))
PAGE = Page(
    looks="Small planes pass; in larger ones, from 128, 256, 2048 or 32768 cells on, some cells receive too much and "
    "others nothing. Or every second element is wrong and uses index 0.",
    arises="Indices are kept in a type that cannot hold them all (int8, int16, float16), or int64 indices are read as "
    "twice as many int32 ones.",
    wrong="int16_t index = indices[cell];",
    right="int64_t index = indices[cell];",
    fix="Keep indices in the type in which they are given, and test with planes of more than 2^8, 2^11 and 2^15 cells.",
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    halves = Model(
        "int64 read as int32",
        "layout",
        "int64 indices are read as twice as many of int32: low and high halves in turn",
        _halves,
        documented="int64",
        observed="int32",
    )
    return halves, *tuple(
        Model(
            f"{narrow.name}, outside: {outside}" if narrow.leaves else narrow.name,
            "index rule",
            f"{narrow.sentence}; those outside the plane {words}" if narrow.leaves else narrow.sentence,
            _reading(narrow.change, outside),
            documented="the whole index",
            observed=narrow.observed,
            cost=narrow.cost + more,
        )
        for narrow in NARROW
        for outside, words, more in (OUTSIDE if narrow.leaves else OUTSIDE[:1])
    )


def _reading(change: Change, outside: str) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        places = change(view.indices)
        return None if (places == view.indices).all() else reindexed(view, places, outside)

    return predict


def _halves(view: View) -> Prediction:
    whole = np.ascontiguousarray(view.indices)
    low, high = whole & 0xFFFFFFFF, whole >> 32
    return reindexed(view, np.stack([low, high], axis=-1).reshape(len(whole), -1)[:, : whole.shape[1]])
