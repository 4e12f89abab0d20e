"""Memory that is read, or written, with its axes in another order."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from acltwin.golden.dtypes import Array, widened
from acltwin.golden.models.model import Model, Prediction
from acltwin.golden.models.view import View
from acltwin.ops.spec import OpSpec


def models(spec: OpSpec) -> tuple[Model, ...]:
    found = []
    if len(spec.data_formats) > 1:
        words = "channels last"
        found += [
            Model(
                "data format ignored",
                "layout",
                f"{words} is taken for channels first, reading and writing",
                _both,
                documented=spec.data_formats[1],
                observed=spec.data_formats[0],
            ),
            Model(
                "data format ignored, reading",
                "layout",
                f"{words} is taken for channels first when it is read",
                _read_format,
                cost=1.05,
            ),
            Model(
                "data format ignored, writing",
                "layout",
                f"the result is written channels first, not {words}",
                _write_format,
                cost=1.05,
            ),
        ]
    for name, first, second in _axis_pairs(spec):
        found += [
            Model(
                f"{name} exchanged, reading",
                "layout",
                f"{name} are exchanged when the memory is read",
                _reading(first, second),
                cost=1.1,
            ),
            Model(
                f"{name} exchanged, writing",
                "layout",
                f"{name} are exchanged when the result is written",
                _writing(first, second),
                cost=1.1,
            ),
            Model(
                f"{name} exchanged",
                "layout",
                f"{name} are exchanged, reading and writing",
                _reading_and_writing(first, second),
                cost=1.1,
            ),
        ]
    found.append(
        Model(
            "axes backwards, reading",
            "layout",
            "the memory is read with its axes in reverse order",
            _all_reversed,
            cost=1.2,
        )
    )
    return tuple(found)


def _axis_pairs(spec: OpSpec) -> list[tuple[str, int, int]]:
    """Counted from the last axis."""
    names = [(number - len(spec.axes), axis) for number, axis in enumerate(spec.axes)]
    return [(f"{a} and {b}", i, j) for (i, a), (j, b) in combinations(names, 2)]


def exchanged(x: Array, first: int, second: int) -> Array:
    """The same memory, taken for an array with two axes exchanged."""
    shape = list(x.shape)
    shape[first], shape[second] = shape[second], shape[first]
    return np.ascontiguousarray(np.ascontiguousarray(x).reshape(shape).swapaxes(first, second))


def _reading(first: int, second: int) -> Callable[[View], Prediction]:
    return lambda view: view.documented_on(exchanged(view.x, first, second))


def _writing(first: int, second: int) -> Callable[[View], Prediction]:
    """The inverse on the way out: the right array, laid down with two axes exchanged."""
    return lambda view: view.moved(lambda values: _laid_down(values, first, second))


def _laid_down(values: Array, first: int, second: int) -> Array:
    return np.ascontiguousarray(values.swapaxes(first, second)).reshape(values.shape)


def _reading_and_writing(first: int, second: int) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        changed = view.documented_on(exchanged(view.x, first, second))
        return view.relaid(changed, lambda values: _laid_down(values, first, second))

    return predict


def _all_reversed(view: View) -> Prediction:
    spatial = view.x.shape[-view.axes :]
    turned = np.ascontiguousarray(view.x).reshape(*view.batch, *spatial[::-1])
    order = (*range(len(view.batch)), *range(view.x.ndim - 1, len(view.batch) - 1, -1))
    return view.documented_on(np.ascontiguousarray(turned.transpose(order)))


def _as_first(view: View) -> Array:
    """The values' memory, taken for channels first."""
    return widened(np.ascontiguousarray(view.raw)).reshape(view.x.shape)


def _read_format(view: View) -> Prediction:
    return view.documented_on(_as_first(view)) if view.channels_last else None


def _write_format(view: View) -> Prediction:
    if not view.channels_last:
        return None
    last = view.documented.value.shape
    return view.moved(lambda values: np.moveaxis(np.ascontiguousarray(values).reshape(last), -1, 1))


def _both(view: View) -> Prediction:
    if not view.channels_last:
        return None
    changed = view.documented_on(_as_first(view))
    last = view.documented.value.shape
    return view.relaid(changed, lambda values: np.moveaxis(np.ascontiguousarray(values).reshape(last), -1, 1))
