"""NaN, infinities, denormal or very large numbers are changed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.dtypes import Array, Facts
from acltwin.golden.fills import adds
from acltwin.golden.models.index_rule import documented_rule
from acltwin.golden.models.linear import apply
from acltwin.golden.models.model import Model, Page, Prediction
from acltwin.golden.models.view import View
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Only data with special values fail: NaN, infinities, denormal numbers, sums beyond the largest number.",
    arises="A comparison is false for NaN, a product of 0 and an infinity is NaN, a flag flushes denormal numbers to "
    "0, a conversion saturates.",
    wrong="out = max(min(total, 65504), -65504)",
    right="out = half(total)      # beyond the largest number that is an infinity",
    fix="Add special values like any others, and select values instead of multiplying them by 0 or 1.",
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    found = [
        Model(f"reads {name}", "special values", f"{sentence} when read", _reading(change), cost=1.0)
        for name, sentence, change in _CHANGES
    ]
    found += [
        Model(f"writes {name}", "special values", f"{sentence} in the result", _writing(change), cost=1.0)
        for name, sentence, change in _CHANGES
    ]
    if adds(spec):
        found.append(
            Model(
                "saturates",
                "special values",
                "a sum beyond the largest number becomes that number, not infinite",
                _saturated,
                documented="infinity",
                observed="the largest finite number",
            )
        )
        found.append(
            Model(
                "overflows on the way",
                "special values",
                "sums overflow in the dtype although they are widened first",
                _overflows,
                cost=1.1,
            )
        )
        found.append(
            Model(
                "saturates, but not in float32",
                "special values",
                "a float32 sum beyond the largest number of the dtype becomes that number, not infinite",
                _saturated_after_float32,
                documented="infinity",
                observed="the largest finite number",
                cost=1.02,
            )
        )
    found += [
        Model(
            f"{name} spoils its line along {axis}",
            "special values",
            f"{name} turns everything that is read from its line along {axis} into NaN",
            _spoilt(number - len(spec.axes), test),
            documented="it reaches only its own cell",
            observed="NaN along the line",
            cost=1.1,
        )
        for number, axis in enumerate(spec.axes)
        for name, test in (("NaN", np.isnan), ("NaN or an infinity", lambda values: ~np.isfinite(values)))
    ]
    if spec.family == "upsample" and spec.is_gradient:
        axes = len(spec.axes)
        groups = [("every axis", tuple(range(axes)))] + [(axis, (number,)) for number, axis in enumerate(spec.axes)]
        for name, chosen in groups:
            found.append(
                Model(
                    f"0 times infinity along {name}",
                    "special values",
                    f"NaN and infinities spread along {name}: zeros of a matrix are multiplied with them",
                    _spread(chosen),
                    documented="they reach only their own cell",
                    observed="0 * inf = NaN",
                    cost=1.1,
                )
            )
    return tuple(found)


Floats = NDArray[np.float64]
Change = Callable[[Floats, Facts], Floats]


def _flush(values: Floats, dtype: Facts) -> Floats:
    return np.where(np.abs(values) < dtype.smallest_normal, 0.0, values)


_CHANGES: tuple[tuple[str, str, Change], ...] = (
    ("NaN as 0", "NaN becomes 0", lambda values, dtype: np.where(np.isnan(values), 0.0, values)),
    (
        "infinity as the largest number",
        "an infinity becomes the largest number",
        lambda values, dtype: np.clip(values, -dtype.largest, dtype.largest),
    ),
    (
        "NaN as 0, infinity as the largest number",
        "NaN becomes 0, and an infinity becomes the largest number",
        lambda values, dtype: np.nan_to_num(values, nan=0.0, posinf=dtype.largest, neginf=-dtype.largest),
    ),
    ("infinity as 0", "an infinity becomes 0", lambda values, dtype: np.where(np.isinf(values), 0.0, values)),
    (
        "NaN and infinity as 0",
        "NaN and infinities become 0",
        lambda values, dtype: np.where(np.isfinite(values), values, 0.0),
    ),
    ("infinity as NaN", "an infinity becomes NaN", lambda values, dtype: np.where(np.isinf(values), np.nan, values)),
    ("NaN as infinity", "NaN becomes infinite", lambda values, dtype: np.where(np.isnan(values), np.inf, values)),
    (
        "NaN as -infinity",
        "NaN becomes minus infinity",
        lambda values, dtype: np.where(np.isnan(values), -np.inf, values),
    ),
    (
        "NaN as the largest number",
        "NaN becomes the largest number",
        lambda values, dtype: np.where(np.isnan(values), dtype.largest, values),
    ),
    ("denormals as 0", "a denormal number becomes 0", _flush),
    (
        "minus infinity as infinity",
        "an infinity loses its sign",
        lambda values, dtype: np.where(np.isinf(values), np.inf, values),
    ),
)


def _reading(change: Change) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        return view.documented_on(change(view.x, view.dtype)) if view.dtype.is_float else None

    return predict


def _writing(change: Change) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        def write(sums: Floats) -> Array:
            exact = view.exactly_shaped(sums).astype(np.float64)
            return change(exact, view.dtype).astype(view.dtype.dtype)

        return view.through(write)

    return predict


def _saturated(view: View) -> Prediction:
    return view.through(lambda sums: _clamped(view, sums, np.isfinite(sums)))


def _saturated_after_float32(view: View) -> Prediction:
    return view.through(lambda sums: _clamped(view, sums, np.isfinite(sums.astype(np.float32))))


def _clamped(view: View, sums: Floats, finite: NDArray[np.bool_]) -> Array:
    exact = view.exactly_shaped(sums).astype(np.float64)
    over = np.isinf(exact) & finite
    return np.where(over, np.copysign(view.dtype.largest, sums), exact).astype(view.dtype.dtype)


def _spoilt(axis: int, test: Callable[[Floats], NDArray[np.bool_]]) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        if not view.dtype.is_float:
            return None
        return view.documented_on(np.where(test(view.x).any(axis, keepdims=True), np.nan, view.x))

    return predict


def _overflows(view: View) -> Prediction:
    if view.dtype.name != "float16":
        return None
    limit = float(view.dtype.largest)

    def step(total: Array, source: Array) -> Array:
        added = total + source
        return np.where(np.abs(added) > limit, np.copysign(np.inf, added), added)

    return view.exactly(view.folded(step))


def _spread(axes: tuple[int, ...]) -> Callable[[View], Prediction]:
    """The product as a matrix unit computes it: every weight, zeros included, times every value."""

    def predict(view: View) -> Prediction:
        if np.isfinite(view.x).all():
            return None
        matrices = documented_rule(view).matrices(view)
        values = view.x
        first = values.ndim - len(matrices)
        for axis in reversed(range(len(matrices))):
            if axis in axes:
                rows = np.moveaxis(values, first + axis, -1)
                values = np.moveaxis((rows[..., None, :] * matrices[axis]).sum(-1), -1, first + axis)
            else:
                others = [np.eye(values.shape[first + number]) for number in range(len(matrices))]
                others[axis] = matrices[axis]
                values = apply(others, values)
        return view.exactly(values)

    return predict
