"""Planes are mixed up."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.dtypes import Array
from acltwin.golden.fills import adds
from acltwin.golden.models.carried import carrying
from acltwin.golden.models.lost import Keep, losing
from acltwin.golden.models.model import Model, Page, Prediction
from acltwin.golden.models.view import View
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Single planes pass. With several planes, all but the first are wrong, or planes hold the data of another n "
    "or c, or planes that were assigned to no core stay 0.",
    arises="The offset of a plane is missing or computed with N and C exchanged; or the planes are divided among the "
    "cores and the remainder is left out.",
    wrong="for p in range(core * (planes // cores), (core + 1) * (planes // cores)): ...",
    right="for p in range(core, planes, cores): ...",
    fix="Test with N = 2 and C = 3, with different data in every plane, and with more planes than cores.",
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    reads = [
        Model(f"reads {name}", "layout", f"{sentence}", _reading(change), cost=cost)
        for name, sentence, change, cost in _CHANGES
    ]
    writes = [
        Model(f"writes {name}", "layout", f"{sentence}, in the result", _writing(change), cost=cost)
        for name, sentence, change, cost in _CHANGES
    ]
    words = "all along the leading axis, which may be C, take the data of its first"
    reads.append(Model("reads the first of the leading axis", "layout", words, _reading_first, cost=1.02))
    lost = []
    for name, words, keep, cost in _LOST:
        lost += losing(spec, name, "tiling", words, keep, cost)
    for tile in (2, 3, 4, 5, 6, 8, 16, 20, 24, 32, 40, 48, 64):
        words = f"planes beyond the last whole block of {tile}"
        lost += losing(spec, f"planes beyond blocks of {tile}", "tiling", words, _beyond(tile), 1.2)
        words += ", and planes fewer than a block,"
        lost += losing(spec, f"planes outside blocks of {tile}", "tiling", words, _blocks(tile), 1.22)
    if adds(spec):
        lost.append(
            Model(
                "planes share memory",
                "layout",
                "the planes' offset is forgotten: the sums of all planes go to the first one",
                carrying(_all_in_first),
            )
        )
    return tuple(reads + writes + lost)


def _all_in_first(values: Array, axes: int) -> Array:
    planes = values.reshape(-1, math.prod(values.shape[-axes:]))
    result = np.zeros_like(planes)
    result[0] = planes.sum(0)
    return result.reshape(values.shape)


def _swapped(x: Array, batch: tuple[int, ...]) -> Array:
    return x.reshape(batch[1], batch[0], *x.shape[len(batch) :]).swapaxes(0, 1).reshape(x.shape)


def _laid_down(x: Array, batch: tuple[int, ...]) -> Array:
    return np.ascontiguousarray(x.swapaxes(0, 1)).reshape(x.shape)


Change = Callable[[Array, tuple[int, ...]], Array]
_CHANGES: tuple[tuple[str, str, Change, float], ...] = (
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
        lambda x, batch: np.broadcast_to(x[:, :1], x.shape),
        1.0,
    ),
    ("N and C exchanged", "N and C are exchanged", _swapped, 1.0),
    ("C and N exchanged", "memory is read as if C came before N", _laid_down, 1.02),
    ("the next plane", "every plane takes the next one's data", lambda x, batch: _rolled(x, batch, -1), 1.0),
    ("the plane before", "every plane takes the data of the one before", lambda x, batch: _rolled(x, batch, 1), 1.0),
    (
        "planes backwards",
        "planes are taken in reverse order",
        lambda x, batch: x.reshape(-1, *x.shape[len(batch) :])[::-1].reshape(x.shape),
        1.0,
    ),
    ("channels backwards", "channels are taken in reverse order", lambda x, batch: np.flip(x, len(batch) - 1), 1.1),
    ("batches backwards", "the batch is taken in reverse order", lambda x, batch: np.flip(x, 0), 1.1),
    (
        "the last channel",
        "every channel takes the last one's data",
        lambda x, batch: np.broadcast_to(x[:, -1:], x.shape),
        1.1,
    ),
)


def _rolled(x: Array, batch: tuple[int, ...], step: int) -> Array:
    return np.roll(x.reshape(math.prod(batch), -1), step, 0).reshape(x.shape)


def _changed(view: View, values: Array, change: Change) -> Array:
    """``change`` works on (N, C, ...), and N is 1 where the case has none."""
    full = np.ascontiguousarray(values).reshape(*view.batches, *values.shape[len(view.batch) :])
    return np.array(change(full, view.batches)).reshape(values.shape)


def _reading(change: Change) -> Callable[[View], Prediction]:
    return lambda view: view.documented_on(_changed(view, view.x, change))


def _reading_first(view: View) -> Prediction:
    return view.documented_on(np.array(np.broadcast_to(view.x[:1], view.x.shape)))


def _writing(change: Change) -> Callable[[View], Prediction]:
    return lambda view: view.moved(lambda values: _changed(view, values, change))


def _planes(keeps: Callable[[View, NDArray[np.int64]], Array]) -> Keep:
    """``keeps`` says which planes, by number, are computed."""

    def keep(view: View) -> NDArray[np.bool_]:
        numbers = np.arange(math.prod(view.batch))
        return np.asarray(keeps(view, numbers)).reshape(*view.batch, *(1,) * view.axes)

    return keep


_LOST: tuple[tuple[str, str, Keep, float], ...] = (
    ("first plane", "the cells of the first plane", _planes(lambda view, number: number > 0), 1.0),
    ("last plane", "the cells of the last plane", _planes(lambda view, number: number < len(number) - 1), 1.0),
    ("all planes but the first", "all planes but the first", _planes(lambda view, number: number < 1), 1.1),
    (
        "all n but the first",
        "all n but the first",
        _planes(lambda view, number: number < len(number) // view.batches[0]),
        1.1,
    ),
    (
        "last n",
        "the planes of the last n",
        _planes(lambda view, number: number < len(number) // view.batches[0] * (view.batches[0] - 1)),
        1.1,
    ),
    (
        "last channel",
        "the planes of the last channel",
        _planes(lambda view, number: number % view.batches[1] < view.batches[1] - 1),
        1.1,
    ),
)


def _beyond(tile: int) -> Keep:
    return _planes(
        lambda view, number: number < (len(number) // tile * tile if len(number) > tile else len(number)),
    )


def _blocks(tile: int) -> Keep:
    return _planes(lambda view, number: number < len(number) // tile * tile)
