"""Indices that do not fit into the type that holds them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from acltwin.golden.dtypes import facts, rounded
from acltwin.golden.models.indexing import reindexed
from acltwin.golden.models.model import Model, Prediction
from acltwin.golden.models.view import View
from acltwin.ops.spec import OpSpec


def models(spec: OpSpec) -> tuple[Model, ...]:
    found = [
        Model(
            f"indices of {bits} bits",
            "index rule",
            f"indices are cut to {bits} bits",
            _cut(bits),
            documented="the whole index",
            observed=f"index modulo 2^{bits}",
        )
        for bits in (7, 8, 10, 11, 12, 15, 16)
    ]
    found += [
        Model(
            f"indices as {name}",
            "index rule",
            f"indices pass through {name}, which does not hold them all",
            _through(name),
            documented="whole numbers",
            observed=name,
        )
        for name in ("float16", "bfloat16")
    ]
    found += [
        Model(
            f"indices clamped to {limit}",
            "index rule",
            f"indices above {limit} are taken for {limit}",
            _clamped(limit),
            cost=1.1,
        )
        for limit in (127, 255, 2047, 32767, 65535)
    ]
    return tuple(found)


def _cut(bits: int) -> Callable[[View], Prediction]:
    return lambda view: reindexed(view, view.indices % 2**bits)


def _clamped(limit: int) -> Callable[[View], Prediction]:
    return lambda view: reindexed(view, np.minimum(view.indices, limit))


def _through(name: str) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        held = rounded(view.indices.astype(np.float64), facts(name).dtype).astype(np.float64)
        return reindexed(view, np.where(np.isfinite(held), held, 0).astype(np.int64))

    return predict
