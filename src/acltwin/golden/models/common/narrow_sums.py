"""Intermediate sums are rounded to the dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from acltwin.golden.dtypes import Array, facts, rounded
from acltwin.golden.fills import adds
from acltwin.golden.models.index_rule import documented_rule
from acltwin.golden.models.linear import apply
from acltwin.golden.models.model import Model, Page, Prediction
from acltwin.golden.models.view import View
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="16-bit dtypes fail where cells have several sources, by a few units in the last place; float32 passes.",
    arises="The accumulator has the dtype of the tensor, or the sums over one axis are stored before the next axis is "
    "added.",
    wrong="total = half(0); total += x",
    right="total = float(0); total += float(x); out = half(total)",
    fix="Widen every value first, add in float32 and round once at the end.",
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    if not adds(spec):
        return ()
    found = [
        Model(
            f"adds in the dtype, {order}",
            "accumulation",
            "sums are accumulated in the 16-bit dtype instead of float32",
            _narrow(order == "descending"),
            documented="float32 sums, rounded once",
            observed="a rounding after every addition",
        )
        for order in ("ascending", "descending")
    ]
    found += [
        Model(
            f"adds in {name}",
            "accumulation",
            f"sums are accumulated in {name}",
            _in(name),
            documented="float32 sums, rounded once",
            observed=f"a rounding to {name} after every addition",
            cost=1.1,
        )
        for name in ("float16", "bfloat16")
    ]
    found.append(
        Model(
            "float32 inside",
            "accumulation",
            "float64 sums are computed in float32",
            _single,
            documented="float64 sums",
            observed="float32 sums",
        )
    )
    if spec.family == "upsample":
        count = len(spec.axes)
        for name, order in (("last axis first", range(count - 1, -1, -1)), ("first axis first", range(count))):
            found.append(
                Model(
                    f"rounds after every axis, {name}",
                    "rounding",
                    "sums are rounded to the dtype after every axis instead of once",
                    _per_axis(tuple(order)),
                    documented="float32 sums, rounded once",
                    observed="a rounding after every axis",
                )
            )
    return tuple(found)


def _narrow(reverse: bool) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        if view.dtype.bits > 11:
            return None
        kind = view.dtype.dtype
        return view.exactly(view.folded(lambda total, source: _round(total + source, kind), reverse))

    return predict


def _in(name: str) -> Callable[[View], Prediction]:
    """Whatever the dtype of the tensors is."""

    def predict(view: View) -> Prediction:
        if view.dtype.name == name or view.dtype.bits == 53:
            return None
        kind = facts(name).dtype
        return view.exactly(view.folded(lambda total, source: _round(total + _round(source, kind), kind)))

    return predict


def _single(view: View) -> Prediction:
    if view.dtype.name != "float64":
        return None
    expected = view.documented_on(view.x.astype(np.float32).astype(np.float64))
    expected.dtype = "float32"
    return expected


def _per_axis(order: tuple[int, ...]) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        if view.dtype.bits > 11:
            return None
        matrices = documented_rule(view).matrices(view)
        values = view.x
        first = values.ndim - len(matrices)
        for axis in order:
            matrix = matrices[axis]
            one = [
                matrix if number == axis else np.eye(values.shape[first + number]) for number in range(len(matrices))
            ]
            values = _round(apply(one, values), view.dtype.dtype)
        return view.exactly(values)

    return predict


def _round(values: Array, kind: np.dtype[Any]) -> Array:
    return rounded(values, kind).astype(np.float64)
