"""First and last cells are aligned, as in linear interpolation."""

from __future__ import annotations

import numpy as np

from acltwin.golden.models.linear import apply, from_sources
from acltwin.golden.models.model import Model, Page, Prediction
from acltwin.golden.models.view import View
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Cells near both ends of an axis have the right sources; those in between are off by up to one.",
    arises="`align_corners` is an option of linear and cubic interpolation; nearest does not have it.",
    wrong="src = round(o * (in_size - 1) / (out_size - 1))",
    right="src = floor(o * in_size / out_size)",
    fix="Use the ratio of the sizes themselves.",
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    return (
        Model(
            "corners aligned",
            "index rule",
            "first and last cells are matched with each other (align_corners)",
            predict=_predict,
            documented="o * in / out",
            observed="o * (in - 1) / (out - 1)",
        ),
    )


def _predict(view: View) -> Prediction:
    inner, outer = (view.result, view.source) if view.spec.is_gradient else (view.source, view.result)
    matrices = []
    for small, large in zip(inner, outer, strict=True):
        step = (small - 1) / (large - 1) if large > 1 else 0.0
        source = np.floor(np.arange(large) * step + 0.5).astype(np.int64)
        matrices.append(from_sources(np.clip(source, 0, small - 1), small, view.spec.is_gradient))
    return view.sums(lambda x: apply(matrices, x))
