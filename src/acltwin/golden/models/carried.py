"""Sums that go into other sums: rounded to the dtype on the way, or not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from acltwin.golden.dtypes import Array, widened
from acltwin.golden.models.model import Prediction
from acltwin.golden.models.view import View
from acltwin.golden.rule import Bound, Limits, limits

Carry = Callable[[Array, int], Array]
"""From results, channels first, and the number of their spatial axes, to other results."""


def carrying(carry: Carry) -> Callable[[View], Prediction]:
    """Everything from the lowest to the highest result that rounding early or late can give."""

    def predict(view: View) -> Prediction:
        right = limits(view.documented, Bound())
        whole = limits(view.moved(lambda values: carry(values, view.axes)), Bound())
        short = [_carried(view, end, carry) for end in (right.low, right.high)]
        low = np.minimum(whole.low, np.minimum(*short))
        high = np.maximum(whole.high, np.maximum(*short))
        return Limits(low, high, whole.error, whole.judged)

    return predict


def _carried(view: View, results: Array, carry: Carry) -> Array:
    """From results that are rounded already."""
    wide = widened(results)
    first = np.moveaxis(wide, -1, 1) if view.channels_last else wide
    changed = carry(np.ascontiguousarray(first), view.axes)
    return view.exactly_shaped(np.moveaxis(changed, 1, -1) if view.channels_last else changed)
