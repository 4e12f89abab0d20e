"""What a model predicts, against what a kernel returned: is it the same, and would it have been right?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import Array, Facts, facts, float64, rounded
from acltwin.golden.cases.family import weighs
from acltwin.golden.causes.index_rule import apply, documented_rule
from acltwin.golden.causes.model import Maxima, Model, Prediction
from acltwin.golden.causes.view import View
from acltwin.golden.judge.bound import Bound, Limits, limits
from acltwin.golden.judge.expected import Expected
from acltwin.golden.judge.judge import wrong_cells
from acltwin.golden.judge.verdict import Record


def predicted(model: Model, view: View) -> Prediction:
    """What a model makes of a case; None if it says nothing about it."""
    with np.errstate(all="ignore"):
        if model.predict is not None:
            return model.predict(view)
        assert model.deviate is not None
        if weighs(view.spec):
            return view.weighed(model.deviate(view.rule))
        matrices = model.deviate(documented_rule(view)).matrices(view)
        return view.sums(lambda x: apply(matrices, x))


def reproduces(prediction: Prediction, outputs: Sequence[Array], bound: Bound = Bound()) -> bool:  # noqa: B008
    """Whether a kernel with this mistake can have returned these outputs."""
    if prediction is None:
        return False
    found = outputs[0]
    if isinstance(prediction, Expected):
        if prediction.value.shape != found.shape:
            return False
        if len(outputs) > 1 and (prediction.indices is None or not equal(prediction.indices, outputs[1])):
            return False
        prediction = limits(prediction, Bound())
    if isinstance(prediction, Limits):
        return prediction.low.shape == found.shape and not wrong_cells(found, prediction, bound).any()
    if isinstance(prediction, Maxima):
        same = (prediction.indices == outputs[1]) | prediction.free
        values = (
            prediction.values if prediction.unknown is None else np.where(prediction.unknown, found, prediction.values)
        )
        return equal(values, found, bound.zero_sign) and bool(same.all())
    arrays = prediction if isinstance(prediction, tuple) else (prediction,)
    if len(arrays) != len(outputs):
        return False
    return all(equal(one, other, bound.zero_sign) for one, other in zip(arrays, outputs, strict=True))


def equal(first: Array, second: Array, signs: bool = False) -> bool:
    if first.shape != second.shape:
        return False
    if not facts(second.dtype).is_float:
        return bool((first == second).all())
    one, other = float64(first), float64(second)
    same = (one == other) & ((np.signbit(one) == np.signbit(other)) | (one != 0) | (not signs))
    return bool((same | (np.isnan(one) & np.isnan(other))).all())


def is_right(prediction: Prediction, record: Record, view: View, bound: Bound = Bound()) -> bool:  # noqa: B008
    if prediction is None:  # it has nothing to say here, so it changes nothing here
        return True
    if isinstance(prediction, Maxima):
        documented = view.documented.indices
        assert documented is not None
        indices = np.where(prediction.free, documented, prediction.indices)
        values = prediction.values
        if prediction.unknown is not None:
            values = np.where(prediction.unknown, view.exactly_shaped(view.documented.value), values)
        return record.case.judge((values, indices), zero_sign=bound.zero_sign).passed
    if isinstance(prediction, tuple):
        one = prediction if len(prediction) > 1 else prediction[0]
        return record.case.judge(one, zero_sign=bound.zero_sign).passed
    if isinstance(prediction, Expected) and prediction.indices is not None:
        both = view.exactly_shaped(prediction.value), prediction.indices
        return record.case.judge(both, zero_sign=bound.zero_sign).passed
    allowed = limits(view.documented, Bound())
    if isinstance(prediction, Limits):
        result = _nearest(allowed.low, prediction)
    else:
        exact = exact_results(prediction, view)
        assert exact is not None
        result = exact
    return not wrong_cells(result, allowed, bound).any()


def _nearest(right: Array, limits: Limits) -> Array:
    """Of the results between the limits the one that is nearest to the right one."""
    if not facts(right.dtype).is_float:
        return np.where(limits.judged, limits.low, right)
    wanted, low, high = float64(right), float64(limits.low), float64(limits.high)
    between = np.where(np.isnan(wanted), low, np.minimum(np.maximum(wanted, low), high))  # NaN where a limit is
    return np.where(limits.judged, between, wanted).astype(right.dtype)


def exact_results(prediction: Prediction, view: View) -> Array | None:
    if isinstance(prediction, Expected):
        return view.exactly_shaped(prediction.value)
    if isinstance(prediction, Limits):
        return prediction.low
    if isinstance(prediction, Maxima):
        return prediction.values
    return prediction[0] if isinstance(prediction, tuple) else prediction


# ---- roundings that are not the documented one ----


Floats = NDArray[np.float64]


def directed(values: Floats, dtype: Facts, direction: str) -> Array:
    """Rounded to ``dtype`` "toward zero", "ties away", "ties toward zero", "upward", "downward" or "away from zero"."""
    nearest = rounded(values, dtype.dtype)
    back = nearest.astype(np.float64)
    low = np.where(back <= values, back, _neighbour(back, dtype, -1))
    high = np.where(back >= values, back, _neighbour(back, dtype, +1))
    inner, outer = np.where(values >= 0, low, high), np.where(values >= 0, high, low)
    chosen = {
        "toward zero": inner,
        "away from zero": outer,
        "upward": high,
        "downward": low,
        "ties toward zero": np.where(np.abs(values - inner) <= np.abs(outer - values), inner, outer),
        "ties away": np.where(np.abs(values - inner) >= np.abs(outer - values), outer, inner),
    }[direction]
    return rounded(np.where(np.isfinite(values), chosen, values), dtype.dtype)


def narrowed(values: Array, name: str) -> Floats:
    """Rounded to a dtype, or to tf32 (float32 with 11 bits), and widened again."""
    return to_tf32(values) if name == "tf32" else rounded(values, facts(name).dtype).astype(np.float64)


def to_tf32(values: Array, ties: str = "even") -> Floats:
    """Ties "even", "away" from zero or "toward zero"."""
    bits = values.astype(np.float32).view(np.uint32)
    odd = (bits >> np.uint32(13)) & np.uint32(1)
    up = odd if ties == "even" else np.full_like(odd, ties == "away")
    kept = (bits + np.uint32(0xFFF) + up) & np.uint32(0xFFFFE000)
    return np.where(np.isfinite(values), kept.view(np.float32), values).astype(np.float64)


def _neighbour(values: Floats, dtype: Facts, side: int) -> Floats:
    """The next number of the dtype on one side."""
    exponent = np.frexp(np.maximum(np.abs(values), dtype.smallest_normal))[1]
    step = np.ldexp(1.0, exponent - dtype.bits)
    # Just inside a power of two the numbers lie twice as close.
    inward = (np.sign(values) == -side) & (np.abs(values) == np.ldexp(0.5, exponent))
    return np.where(np.isfinite(values), values + side * np.where(inward, step / 2, step), values)
