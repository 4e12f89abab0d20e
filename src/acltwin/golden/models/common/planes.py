"""Planes that are taken for other planes."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.dtypes import Array
from acltwin.golden.models.model import Model, Prediction
from acltwin.golden.models.view import View
from acltwin.ops.spec import OpSpec


def models(spec: OpSpec) -> tuple[Model, ...]:
    reads = [
        Model(f"reads {name}", "layout", f"{sentence}", _reading(change), cost=cost)
        for name, sentence, change, cost in _CHANGES
    ]
    writes = [
        Model(f"writes {name}", "layout", f"{sentence}, in the result", _writing(change), cost=cost + 0.05)
        for name, sentence, change, cost in _CHANGES
    ]
    lost = [
        Model(f"{which} plane lost", "tiling", f"the {which} plane of the result is not computed", _lost(place))
        for which, place in (("first", 0), ("last", -1))
    ]
    lost += [
        Model("only the first plane", "tiling", "only the first plane of the result is computed", _only(1), cost=1.1),
        Model("only the first batch", "tiling", "only the first of the N is computed", _first_batch, cost=1.1),
    ]
    lost += [
        Model(
            f"planes beyond blocks of {tile} lost",
            "tiling",
            f"planes beyond the last whole block of {tile} are not computed",
            _beyond(tile),
            cost=1.2 + 1 / tile,
        )
        for tile in (2, 4, 8, 16, 32, 64)
    ]
    return tuple(reads + writes + lost)


def _swapped(x: Array, batch: tuple[int, ...]) -> Array:
    if len(batch) < 2:
        return x
    return x.reshape(batch[1], batch[0], *x.shape[len(batch) :]).swapaxes(0, 1).reshape(x.shape)


_CHANGES: tuple[tuple[str, str, Callable[[Array, tuple[int, ...]], Array], float], ...] = (
    (
        "the first plane",
        "every plane takes the first plane's data",
        lambda x, batch: np.broadcast_to(x[(slice(0, 1),) * len(batch)], x.shape),
        1.0,
    ),
    ("the first batch", "every n takes the data of n = 0", lambda x, batch: np.broadcast_to(x[:1], x.shape), 1.0),
    (
        "the first channel",
        "every channel takes the first one's data",
        lambda x, batch: np.broadcast_to(x[:, :1], x.shape) if len(batch) > 1 else x,
        1.0,
    ),
    ("N and C exchanged", "N and C are exchanged", _swapped, 1.0),
    ("the next plane", "every plane takes the next one's data", lambda x, batch: _rolled(x, batch, -1), 1.0),
    ("the plane before", "every plane takes the data of the one before", lambda x, batch: _rolled(x, batch, 1), 1.0),
    (
        "planes backwards",
        "planes are taken in reverse order",
        lambda x, batch: x.reshape(-1, *x.shape[len(batch) :])[::-1].reshape(x.shape),
        1.0,
    ),
    ("channels backwards", "channels are taken in reverse order", lambda x, batch: np.flip(x, len(batch) - 1), 1.1),
    ("batches backwards", "the N are taken in reverse order", lambda x, batch: np.flip(x, 0), 1.1),
    (
        "the last channel",
        "every channel takes the last one's data",
        lambda x, batch: np.broadcast_to(x[:, -1:], x.shape) if len(batch) > 1 else x,
        1.1,
    ),
)


def _rolled(x: Array, batch: tuple[int, ...], step: int) -> Array:
    return np.roll(x.reshape(math.prod(batch), -1), step, 0).reshape(x.shape)


def _reading(change: Callable[[Array, tuple[int, ...]], Array]) -> Callable[[View], Prediction]:
    return lambda view: view.documented_on(np.array(change(np.ascontiguousarray(view.x), view.batch)))


def _writing(change: Callable[[Array, tuple[int, ...]], Array]) -> Callable[[View], Prediction]:
    return lambda view: view.moved(lambda values: np.array(change(np.ascontiguousarray(values), view.batch)))


def _cleared(view: View, keep: NDArray[np.bool_]) -> Prediction:
    """``keep``: which planes are computed."""
    shape = (*view.batch, *(1,) * view.axes)
    return view.moved(lambda values: np.where(keep.reshape(shape), values, 0).astype(values.dtype))


def _lost(place: int) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        keep = np.ones(math.prod(view.batch), bool)
        keep[place] = False
        return _cleared(view, keep)

    return predict


def _only(count: int) -> Callable[[View], Prediction]:
    return lambda view: _cleared(view, np.arange(math.prod(view.batch)) < count)


def _first_batch(view: View) -> Prediction:
    planes = math.prod(view.batch)
    return _cleared(view, np.arange(planes) < planes // view.batch[0])


def _beyond(tile: int) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        planes = math.prod(view.batch)
        return _cleared(view, np.arange(planes) < (planes // tile * tile if planes > tile else planes))

    return predict
