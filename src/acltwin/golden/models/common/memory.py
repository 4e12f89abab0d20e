"""Results that start from, or stay, what was in their memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.arrays import poisoned
from acltwin.golden.case import result_shapes
from acltwin.golden.dtypes import facts
from acltwin.golden.fills import adds
from acltwin.golden.models.model import Model, Prediction
from acltwin.golden.models.view import View
from acltwin.golden.rule import Bound, Limits, limits
from acltwin.ops.spec import OpSpec


def models(spec: OpSpec) -> tuple[Model, ...]:
    found = [
        Model(
            "nothing written",
            "initialisation",
            "the result is not written, or added to memory that was not cleared",
            _blank,
            documented="every cell is written",
            observed="the memory's old content",
        ),
        Model("all zero", "initialisation", "the result is all zero", _zero, cost=1.1),
    ]
    if adds(spec) or (spec.family == "unpool" and not spec.is_gradient):
        found.append(
            Model(
                "empty cells not cleared",
                "initialisation",
                "cells to which nothing flows are not set to 0",
                _empty,
                documented="0 where nothing arrives",
                observed="the memory's old content",
                cost=0.9,
            )
        )
    if adds(spec):
        found.append(
            Model(
                "starts from something else",
                "initialisation",
                "sums start from another number than 0",
                _start,
                documented="every sum starts from 0",
                observed="another start",
                cost=1.2,
            )
        )
    return tuple(found)


def _blank(view: View) -> Prediction:
    """Guards fill memory with NaN, or with 0xA5 where there is none."""
    return tuple(poisoned(facts(dtype).dtype, shape) for dtype, shape in result_shapes(view.case))


def _zero(view: View) -> Prediction:
    return tuple(np.zeros(shape, facts(dtype).dtype) for dtype, shape in result_shapes(view.case))


def _empty(view: View) -> Prediction:
    """Anything may stand in an empty cell, as long as it is not always what it should be."""
    filled = _filled(view)
    if filled.all():
        return None
    allowed = limits(view.documented, Bound())
    return Limits(allowed.low, allowed.high, allowed.error, np.asarray(allowed.judged & filled))


def _filled(view: View) -> NDArray[np.bool_]:
    if view.adds:
        return np.asarray(view.documented.count > 0)
    reached = np.zeros(view.documented.value.shape, bool).reshape(len(view.indices), -1)
    np.put_along_axis(reached, view.indices, True, 1)
    return reached.reshape(view.documented.value.shape)


def _start(view: View) -> Prediction:
    """The same number in every cell, read from the first finite one."""
    observed = view.observed()
    if observed is None:
        return None
    value = view.documented_value
    usable = np.isfinite(observed) & np.isfinite(value)
    if not usable.any():
        return None
    start = float(observed[usable].ravel()[0] - value[usable].ravel()[0])
    return view.through(lambda sums: view.exactly_shaped(sums + start)) if start else None
