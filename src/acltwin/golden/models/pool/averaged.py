"""Gradients are divided as in average pooling."""

from __future__ import annotations

import math
from collections.abc import Callable

from acltwin.golden.models.model import Model, Page, Prediction
from acltwin.golden.models.view import View
from acltwin.golden.models.windows import window_of
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Every cell holds its sum divided by the number of cells in a window.",
    arises="The kernel was derived from one for average pooling.",
    wrong="grad_input[index] += grad_output[o] / (kd * kh * kw)",
    right="grad_input[index] += grad_output[o]",
    fix="Add the whole gradient to the one cell that the index names.",
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    if not spec.is_gradient:
        return ()
    return tuple(
        Model(
            f"divided by the window{words}",
            "accumulation",
            f"each gradient is divided by the number of cells in a window{words}",
            _divided(rounds),
            documented="the gradient",
            observed="gradient / (kd * kh * kw)",
            cost=cost,
        )
        for words, rounds, cost in ((", in its dtype", True, 1.0), (", in float32", False, 1.02))
    )


def _divided(rounds: bool) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        shares = view.x / math.prod(window_of(view).kernel)
        kept = shares.astype(view.dtype.dtype if rounds else "float32").astype("float64")
        return view.documented_on(kept)

    return predict
