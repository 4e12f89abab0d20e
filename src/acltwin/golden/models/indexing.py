"""Index operators with other indices than they were given."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.dtypes import Array
from acltwin.golden.expected import Expected
from acltwin.golden.models.view import View

Places = NDArray[np.int64]


def plane_sizes(view: View) -> tuple[int, ...]:
    """Of the planes that the indices point into: the larger side."""
    backward_pool = view.spec.family == "pool"
    return view.result if backward_pool or not view.spec.is_gradient else view.source


def reindexed(view: View, places: Places, outside: str = "drop") -> Expected | Array:
    """The documented result with these indices. One outside its plane is dropped, or clamped, or wrapped into it."""
    cells = math.prod(plane_sizes(view))
    legal = (places >= 0) & (places < cells)
    if legal.all():
        return view.documented_on(view.x, places)
    if outside == "clamp":
        return view.documented_on(view.x, np.clip(places, 0, cells - 1))
    if outside == "wrap":
        return view.documented_on(view.x, places % cells)
    return _dropped(view, np.where(legal, places, 0), legal)


def _dropped(view: View, places: Places, legal: NDArray[np.bool_]) -> Expected | Array:
    """What is fetched from nowhere is 0; what is sent nowhere does not arrive."""
    if view.spec.family == "unpool" and view.spec.is_gradient:
        expected = view.documented_on(view.x, places)
        kept = legal.reshape(expected.value.shape)
        expected.value = np.where(kept, expected.value, 0).astype(expected.value.dtype)
        return expected
    if view.spec.family == "unpool":
        return _copied(view, places, legal)
    return view.documented_on(np.where(legal.reshape(view.x.shape), view.x, 0.0), places)


def _copied(view: View, places: Places, legal: NDArray[np.bool_]) -> Array:
    """Copies one after the other, so that the last one stays; a cell too many takes those that go nowhere."""
    cells = math.prod(plane_sizes(view))
    result = np.zeros((len(places), cells + 1), view.x.dtype)
    for plane, goals, values in zip(result, np.where(legal, places, cells), view.planes, strict=True):
        plane[goals] = values
    return view.exactly(result[:, :-1])
