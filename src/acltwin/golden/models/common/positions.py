"""Positions of a plane beyond some number that are lost."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from acltwin.golden.models.model import Model, Prediction
from acltwin.golden.models.view import View
from acltwin.ops.spec import OpSpec


def models(spec: OpSpec) -> tuple[Model, ...]:
    found = [
        Model(
            f"results beyond {limit} lost",
            "tiling",
            f"cells of a plane of the result beyond {limit} are not computed",
            _results(_up_to(limit)),
            cost=1.1,
        )
        for limit in (64, 128, 256, 512, 1024, 2048, 4096, 8192, 32768, 65536)
    ]
    found += [
        Model(
            f"sources beyond {limit} lost",
            "tiling",
            f"cells of a plane of the input beyond {limit} are not read",
            _sources(_up_to(limit)),
            cost=1.1,
        )
        for limit in (64, 128, 256, 512, 1024, 2048, 4096, 8192, 32768, 65536)
    ]
    for tile in (4, 8, 16, 32, 64, 128, 256):
        found += [
            Model(
                f"results beyond blocks of {tile} lost",
                "tiling",
                f"cells of a plane of the result beyond the last whole block of {tile} are not computed",
                _results(_blocks(tile)),
                cost=1.2 + 1 / tile,
            ),
            Model(
                f"sources beyond blocks of {tile} lost",
                "tiling",
                f"cells of a plane of the input beyond the last whole block of {tile} are not read",
                _sources(_blocks(tile)),
                cost=1.2 + 1 / tile,
            ),
            Model(
                f"elements beyond blocks of {tile} lost",
                "tiling",
                f"elements of the result beyond the last whole block of {tile} are not computed",
                _elements(tile),
                cost=1.3 + 1 / tile,
            ),
        ]
    found.append(
        Model(
            "last cell lost",
            "border",
            "the last cell of every plane of the result is not computed",
            _results(lambda cells: cells - 1),
        )
    )
    found.append(
        Model(
            "last source lost, whole plane",
            "border",
            "the last cell of every plane of the input is not read",
            _sources(lambda cells: cells - 1),
        )
    )
    return tuple(found)


Limit = Callable[[int], int]
"""From the cells of a plane to how many of them are computed."""


def _up_to(limit: int) -> Limit:
    return lambda cells: limit


def _blocks(tile: int) -> Limit:
    return lambda cells: cells // tile * tile if cells > tile else cells


def _results(limit: Limit) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        cells = math.prod(view.result)
        keep = (np.arange(cells) < limit(cells)).reshape(view.result)
        return view.moved(lambda values: np.where(keep, values, 0).astype(values.dtype))

    return predict


def _sources(limit: Limit) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        cells = math.prod(view.source)
        keep = (np.arange(cells) < limit(cells)).reshape(view.source)
        return view.documented_on(np.where(keep, view.x, 0).astype(view.x.dtype))

    return predict


def _elements(tile: int) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        count = math.prod(view.batch) * math.prod(view.result)
        keep = np.arange(count) < _blocks(tile)(count)
        shape = view.documented.value.shape
        kept = keep.reshape(shape)
        first = np.moveaxis(kept, -1, 1) if view.channels_last else kept
        return view.moved(lambda values: np.where(first, values, 0).astype(values.dtype))

    return predict
