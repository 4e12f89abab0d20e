"""Indices that are read as another place in the plane."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np

from acltwin.golden.models.indexing import plane_sizes, reindexed
from acltwin.golden.models.model import Model, Prediction
from acltwin.golden.models.view import View
from acltwin.ops.spec import OpSpec


def models(spec: OpSpec) -> tuple[Model, ...]:
    found = [
        Model(
            f"index {step:+d}",
            "index rule",
            f"every index is taken for the one {'after' if step > 0 else 'before'} it",
            _moved(step, outside),
            documented="the index",
            observed=f"index {step:+d}",
            cost=1.0 if outside == "clamp" else 1.05,
        )
        for step in (1, -1)
        for outside in ("clamp", "wrap", "drop")
    ]
    axes = spec.axes
    for first, second in combinations(range(len(axes)), 2):
        found.append(
            Model(
                f"strides of {axes[first]} and {axes[second]} exchanged",
                "layout",
                f"indices are taken apart with the strides of {axes[first]} and {axes[second]} exchanged",
                _exchanged(first, second),
            )
        )
    found += [
        Model("axes backwards", "layout", "indices count the axes in reverse order", _backwards),
        Model(
            "strides of the other plane",
            "layout",
            "indices are taken apart with the sizes of the other plane",
            _other_plane,
        ),
        Model(
            "indices over all channels",
            "layout",
            "indices count from the first channel, not from their own plane",
            _over_channels,
        ),
        Model("mirrored", "layout", "indices count from the end of the plane", _mirrored),
    ]
    return tuple(found)


def _moved(step: int, outside: str) -> Callable[[View], Prediction]:
    return lambda view: reindexed(view, view.indices + step, outside)


def _exchanged(first: int, second: int) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        sizes = plane_sizes(view)
        place = list(np.unravel_index(view.indices, sizes))
        shape = list(sizes)
        place[first], place[second] = place[second], place[first]
        shape[first], shape[second] = shape[second], shape[first]
        return reindexed(view, np.ravel_multi_index(tuple(place), tuple(shape)))

    return predict


def _backwards(view: View) -> Prediction:
    sizes = plane_sizes(view)
    place = np.unravel_index(view.indices, sizes)
    return reindexed(view, np.ravel_multi_index(tuple(place[::-1]), tuple(sizes[::-1])))


def _other_plane(view: View) -> Prediction:
    """Coordinates by one plane's sizes, address by the other's."""
    sizes = plane_sizes(view)
    other = view.source if sizes == view.result else view.result
    rest, address, stride = view.indices, np.zeros_like(view.indices), 1
    for size, wrong in zip(sizes[::-1], other[::-1], strict=True):
        address = address + rest % wrong * stride
        rest = rest // wrong
        stride *= size
    return reindexed(view, address)


def _over_channels(view: View) -> Prediction:
    cells = math.prod(plane_sizes(view))
    planes = np.arange(len(view.indices))[:, None]
    return reindexed(view, view.indices - planes * cells, "clamp")


def _mirrored(view: View) -> Prediction:
    return reindexed(view, math.prod(plane_sizes(view)) - 1 - view.indices)
