"""Memory is read or written with its axes in another order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from acltwin.golden.dtypes import Array, widened
from acltwin.golden.models.exchanges import exchanges
from acltwin.golden.models.model import Model, Page, Prediction
from acltwin.golden.models.view import View
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Square planes look transposed; others are scrambled, but hold the right numbers. Planes of one cell, and "
    "planes with equal results everywhere, pass.",
    arises="Strides are computed from the sizes in the wrong order, or a channels-last tensor is treated as one in the "
    "default layout.",
    wrong="address = (d * W + w) * H + h",
    right="address = (d * H + h) * W + w",
    fix="Compute strides from the tensor's own sizes and format, and test with sizes that all differ.",
)
Change = Callable[[Array], Array]


def models(spec: OpSpec) -> tuple[Model, ...]:
    found = list(_formats(spec)) if len(spec.data_formats) > 1 else []
    for name, order in exchanges(spec):
        taken, laid = _taken_for(order), _laid_down(order)
        for words, one, other, cost in (("", taken, laid, 1.1), (", in the opposite direction", laid, taken, 1.11)):
            found += [
                Model(
                    f"{name}, reading{words}",
                    "layout",
                    f"the memory is read with {name}{words}",
                    _reading(one),
                    cost=cost,
                ),
                Model(
                    f"{name}, writing{words}",
                    "layout",
                    f"the result is written with {name}{words}",
                    _writing(other),
                    cost=cost,
                ),
                Model(
                    f"{name}, reading and writing{words}",
                    "layout",
                    f"memory is read and written with {name}{words}",
                    _reading_and_writing(one, other),
                    cost=cost,
                ),
            ]
    return tuple(found)


def _taken_for(order: tuple[int, ...]) -> Change:
    """The same memory, taken for an array with its axes in another order (one that is its own inverse)."""

    def change(x: Array) -> Array:
        first = x.ndim - len(order)
        shape = (*x.shape[:first], *(x.shape[first + axis] for axis in order))
        turned = np.ascontiguousarray(x).reshape(shape)
        return np.ascontiguousarray(turned.transpose((*range(first), *(first + axis for axis in order))))

    return change


def _laid_down(order: tuple[int, ...]) -> Change:
    """The array, laid down in memory with its axes in another order."""

    def change(x: Array) -> Array:
        first = x.ndim - len(order)
        turned = x.transpose((*range(first), *(first + axis for axis in order)))
        return np.ascontiguousarray(turned).reshape(x.shape)

    return change


def _reading(change: Change) -> Callable[[View], Prediction]:
    return lambda view: view.documented_on(change(view.x))


def _writing(change: Change) -> Callable[[View], Prediction]:
    return lambda view: view.moved(change)


def _reading_and_writing(read: Change, write: Change) -> Callable[[View], Prediction]:
    return lambda view: view.relaid(view.documented_on(read(view.x)), write)


def _formats(spec: OpSpec) -> tuple[Model, ...]:
    words = "channels last"
    return (
        Model(
            "data format ignored",
            "layout",
            f"{words} is treated as channels first, in reading and writing",
            _both,
            documented=spec.data_formats[1],
            observed=spec.data_formats[0],
        ),
        Model(
            "data format ignored, reading",
            "layout",
            f"{words} is read as channels first",
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
    )


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
