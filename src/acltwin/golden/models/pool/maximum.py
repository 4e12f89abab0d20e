"""A pooling chooses another cell of the window."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.models.model import FaultClass, Maxima, Model, Page, Prediction
from acltwin.golden.models.pool.window import answer
from acltwin.golden.models.view import View
from acltwin.golden.models.windows import Choice, pooled, window_of
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Data without ties, NaN and negative numbers pass. Windows of negative numbers give 0, or NaN is lost, or "
    "close values are treated as equal.",
    arises="The maximum starts at 0 instead of minus infinity, padding counts as 0, or the comparison is false for NaN "
    "or made in a narrower type.",
    wrong="best = 0; if x > best: best, index = x, i",
    right="best = -inf; if x > best or isnan(x): best, index = x, i",
    fix="Start from minus infinity, ignore padding, let NaN win; test with negative values, ties and NaN.",
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    if spec.is_gradient:
        return ()
    found = [
        Model(name, cause, sentence, _chosen(choice), cost=cost) for name, cause, sentence, choice, cost in _CHOICES
    ]
    found += [
        Model(
            f"index found in {name}",
            "index rule",
            f"values are right, but indices are found by comparing in {name}",
            _index_by(Choice(narrow=name, nan="last")),
        )
        for name in ("bfloat16", "float16")
    ]
    found += [
        Model(
            f"no index for {name}",
            "special values",
            f"where the maximum is {name}, the index is 0",
            _index_zero(test),
        )
        for name, test in (("NaN", np.isnan), ("minus infinity", np.isneginf))
    ]
    found.append(
        Model(
            "starts from another number",
            "initialisation",
            "maxima start from a number that is not below all others",
            _start,
            documented="minus infinity",
            observed="another start",
            cost=1.2,
        )
    )
    return tuple(found)


_CHOICES: tuple[tuple[str, FaultClass, str, Choice, float], ...] = (
    (
        "zero padding",
        "border",
        "padding counts as 0, not as minus infinity",
        Choice(zero_padding=True, nan="last"),
        1.0,
    ),
    (
        "zero padding, not beyond",
        "border",
        "padding counts as 0, and what ceil mode adds beyond it as minus infinity",
        Choice(zero_padding=True, beyond_padding=False, nan="last"),
        1.5,
    ),
    (
        "zero padding, NaN passed over",
        "border",
        "padding counts as 0, and NaN is passed over",
        Choice(zero_padding=True),
        1.5,
    ),
    (
        "last maximum, first NaN",
        "index rule",
        "the last of several maxima gives the index, but the first NaN",
        Choice(last=True, nan="first"),
        1.5,
    ),
    (
        "last maximum, NaN passed over",
        "index rule",
        "the last of several maxima, and never NaN",
        Choice(last=True),
        1.5,
    ),
    (
        "zero start, NaN passed over",
        "initialisation",
        "maxima start from 0, and NaN is passed over",
        Choice(start=0.0),
        1.5,
    ),
    (
        "zero start",
        "initialisation",
        "maxima start from 0, not from minus infinity",
        Choice(start=0.0, nan="last"),
        1.0,
    ),
    ("NaN never wins", "special values", "NaN is passed over", Choice(), 1.0),
    ("NaN forgotten", "special values", "NaN wins, but the next number wins over it", Choice(nan="forgotten"), 1.0),
    ("first NaN", "special values", "the first NaN gives the index, not the last", Choice(nan="first"), 1.0),
    ("last maximum", "index rule", "the last of several maxima gives the index", Choice(last=True, nan="last"), 1.0),
    ("magnitude", "index rule", "magnitudes are compared", Choice(magnitude=True, nan="last"), 1.0),
    ("minimum", "index rule", "the minimum is taken", Choice(minimum=True, nan="last"), 1.0),
    ("bfloat16 comparison", "rounding", "values are compared in bfloat16", Choice(narrow="bfloat16", nan="last"), 1.0),
    ("float16 comparison", "rounding", "values are compared in float16", Choice(narrow="float16", nan="last"), 1.0),
)


def _chosen(choice: Choice) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        best, places = pooled(view, window_of(view), choice)
        if choice.zero_padding:  # a zero of the image and one of the padding are equal: either may win
            places = np.where(best == 0, -1, places)
        return answer(view, best, places)

    return predict


def _index_by(choice: Choice) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        _, places = pooled(view, window_of(view), choice)
        indices = view.documented.indices
        assert indices is not None
        found = places.reshape(indices.shape).astype(indices.dtype)
        return Maxima(view.exactly_shaped(view.documented.value), found, found < 0)

    return predict


def _index_zero(test: Callable[..., NDArray[np.bool_]]) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        indices = view.documented.indices
        assert indices is not None
        found = np.where(test(view.documented.value), 0, indices).astype(indices.dtype)
        return Maxima(view.exactly_shaped(view.documented.value), found, np.zeros(found.shape, bool))

    return predict


def _start(view: View) -> Prediction:
    """Windows below some number give that number; which one, the output says."""
    indices = view.documented.indices
    assert indices is not None
    if view.observed_arrays is None:
        return None
    right = view.exactly_shaped(view.documented.value)
    found = view.observed_arrays[0].astype(np.float64)
    raised = found > right.astype(np.float64)
    starts = np.unique(found[raised])
    if len(starts) != 1:
        return None
    below = right.astype(np.float64) <= starts[0]  # an equal one does not win either
    if (found[below] != starts[0]).any():
        return None
    return Maxima(np.where(below, view.observed_arrays[0], right), indices, below)
