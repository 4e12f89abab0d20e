"""Rows are assumed to be aligned in memory."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from acltwin.golden.models.model import Model, Page, Prediction
from acltwin.golden.models.view import View
from acltwin.golden.rule import Bound, limits
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Rows that fill whole blocks pass. In others, the first row is right and each later row is shifted further.",
    arises="A device copies blocks of 32 bytes, but rows in memory are not padded to whole blocks.",
    wrong="row = base + y * align_up(width * sizeof(T), 32)",
    right="row = base + y * width * sizeof(T)",
    fix="Use the tensor's own strides; pad rows in local memory only.",
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    return tuple(
        Model(
            f"rows aligned to {size} bytes",
            "layout",
            f"rows are read as if each began at a multiple of {size} bytes",
            _aligned(size),
            documented="rows follow each other",
            observed=f"rows padded to {size} bytes",
        )
        for size in (16, 32, 64, 128, 256, 512)
    )


def _aligned(size: int) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        width, block = view.source[-1], max(size // view.dtype.dtype.itemsize, 1)
        stride = math.ceil(width / block) * block
        if stride == width:
            return None
        rows = view.x.size // width
        address = (np.arange(rows)[:, None] * stride + np.arange(width)).reshape(view.x.shape)
        flat = np.ascontiguousarray(view.x).ravel()
        found = view.documented_on(flat[address % flat.size])
        if view.documented.indices is not None:
            return found
        outside = view.documented_on((address >= flat.size).astype(view.x.dtype))  # what stands there, nobody knows
        allowed = limits(found, Bound())
        return replace(allowed, judged=np.asarray(allowed.judged & (outside.value == 0)))

    return predict
