"""Something else than the indexed cell is copied, or several are added."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.models.indexing import plane_sizes, reindexed
from acltwin.golden.models.model import Model, Prediction
from acltwin.golden.models.view import View
from acltwin.ops.spec import OpSpec


def models(spec: OpSpec) -> tuple[Model, ...]:
    found = [
        Model("indices not used", "index rule", "cells are copied in order: the indices are not used", _in_order),
    ]
    if spec.is_gradient:
        found.append(Model("copies self", "index rule", "the values of self are returned instead of gradients", _self))
        found.append(
            Model("repeats lost", "index rule", "of equal indices only the first fetches its gradient", _repeats(False))
        )
        found.append(
            Model(
                "repeats lost but the last",
                "index rule",
                "of equal indices only the last fetches its gradient",
                _repeats(True),
            )
        )
        found.append(Model("repeats shared", "accumulation", "equal indices share the gradient among them", _shared))
        found.append(
            Model("repeats summed", "accumulation", "equal indices fetch the gradient times their number", _summed)
        )
    return tuple(found)


def _in_order(view: View) -> Prediction:
    count = view.indices.shape[1]
    cells = math.prod(plane_sizes(view))
    return reindexed(view, np.broadcast_to(np.arange(count) % cells, view.indices.shape))


def _self(view: View) -> Prediction:
    return view.exactly(view.image)


def _numbers(view: View) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]:
    """How often each index occurs in its plane, and whether this is its first or its last time."""
    counts, first, last = (np.zeros(view.indices.shape, kind) for kind in (np.int64, bool, bool))
    for plane, places in enumerate(view.indices):
        _, begin, inverse, number = np.unique(places, return_index=True, return_inverse=True, return_counts=True)
        counts[plane] = number[inverse]
        first[plane, begin] = True
        _, end = np.unique(places[::-1], return_index=True)
        last[plane, len(places) - 1 - end] = True
    return counts, first, last


def _repeats(keep_last: bool) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        _, first, last = _numbers(view)
        fetched = view.documented_value.reshape(view.indices.shape)
        return view.exactly(np.where(last if keep_last else first, fetched, 0))

    return predict


def _shared(view: View) -> Prediction:
    fetched = view.documented_value.reshape(view.indices.shape)
    return view.exactly(fetched / _numbers(view)[0])


def _summed(view: View) -> Prediction:
    fetched = view.documented_value.reshape(view.indices.shape)
    return view.exactly(fetched * _numbers(view)[0])
