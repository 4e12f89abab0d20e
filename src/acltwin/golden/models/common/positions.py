"""Positions of a plane, or of the whole tensor, beyond some number that are lost; and the first and the last one."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.models.lost import Keep, Take, losing, repeating
from acltwin.golden.models.model import Model, Prediction
from acltwin.golden.models.view import View
from acltwin.ops.spec import OpSpec


def models(spec: OpSpec) -> tuple[Model, ...]:
    found = []
    for limit in (64, 128, 256, 512, 1024, 2048, 4096, 8192, 32768, 65536):
        cells = f"cells of a plane of the result beyond {limit}"
        found += losing(spec, f"results beyond {limit}", "tiling", cells, _results(_up_to(limit)), 1.1)
        found.append(
            Model(
                f"sources beyond {limit} lost",
                "tiling",
                f"cells of a plane of the input beyond {limit} are not read",
                _sources(_up_to(limit)),
                cost=1.1,
            )
        )
    for tile in (4, 8, 16, 32, 64, 128, 256):
        found += _tiles(spec, tile)
    found += losing(spec, "last cell", "border", "the last cells of the planes", _results(lambda cells: cells - 1), 1.0)
    found += losing(spec, "first cell", "initialisation", "the first cells of the planes", _after_first, 1.0)
    found += losing(
        spec, "first element", "initialisation", "the cells at the very beginning of the result", _first_element, 1.05
    )
    found += losing(
        spec, "last element", "border", "the cells at the very end of the result", _elements(lambda n: n - 1), 1.05
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
"""From the number of cells to how many of them are computed."""


def _tiles(spec: OpSpec, tile: int) -> list[Model]:
    found: list[Model] = []
    cost = 1.2 + 1 / tile
    for suffix, limit, more in (("", _blocks(tile), 0.0), (", and fewer than a block", _whole_blocks(tile), 0.02)):
        plane = f"cells of a plane of the result beyond the last whole block of {tile}{suffix}"
        whole = f"elements of the result beyond the last whole block of {tile}{suffix}"
        name = f"beyond blocks of {tile}{suffix}"
        found += losing(spec, f"results {name}", "tiling", plane, _results(limit), cost + more)
        found += losing(spec, f"elements {name}", "tiling", whole, _elements(limit), cost + 0.1 + more)
        found.append(
            Model(
                f"sources {name} lost",
                "tiling",
                f"cells of a plane of the input beyond the last whole block of {tile}{suffix} are not read",
                _sources(limit),
                cost=cost + more,
            )
        )
    for words, back in (("the block before it", tile), ("the last cell before it", 0)):
        found.append(
            Model(
                f"results beyond blocks of {tile} repeat {words}",
                "tiling",
                f"the remainder of a plane beyond its last whole block of {tile} repeats {words}",
                repeating(_repeated(tile, back)),
                cost=cost,
            )
        )
    return found


def _up_to(limit: int) -> Limit:
    return lambda cells: limit


def _blocks(tile: int) -> Limit:
    return lambda cells: cells // tile * tile if cells > tile else cells


def _whole_blocks(tile: int) -> Limit:
    return lambda cells: cells // tile * tile


def _results(limit: Limit) -> Keep:
    def keep(view: View) -> NDArray[np.bool_]:
        cells = math.prod(view.result)
        return (np.arange(cells) < limit(cells)).reshape(view.result)

    return keep


def _after_first(view: View) -> NDArray[np.bool_]:
    return (np.arange(math.prod(view.result)) > 0).reshape(view.result)


def _sources(limit: Limit) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        cells = math.prod(view.source)
        if limit(cells) >= cells:
            return None
        keep = (np.arange(cells) < limit(cells)).reshape(view.source)
        return view.documented_on(np.where(keep, view.x, 0).astype(view.x.dtype))

    return predict


def _elements(limit: Limit) -> Keep:
    """In the order of the memory, whatever the layout."""

    def keep(view: View) -> NDArray[np.bool_]:
        count = math.prod(view.batch) * math.prod(view.result)
        return _in_memory(view, np.arange(count) < limit(count))

    return keep


def _first_element(view: View) -> NDArray[np.bool_]:
    return _in_memory(view, np.arange(math.prod(view.batch) * math.prod(view.result)) > 0)


def _in_memory(view: View, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    laid = kept.reshape(view.documented.value.shape)
    return np.moveaxis(laid, -1, 1) if view.channels_last else laid


def _repeated(tile: int, back: int) -> Take:
    def take(view: View) -> NDArray[np.int64]:
        cells = math.prod(view.result)
        place = np.arange(cells)
        if cells > tile:
            whole = cells // tile * tile
            place = np.where(place < whole, place, place - back if back else whole - 1)
        return np.asarray(np.arange(math.prod(view.batch))[:, None] * cells + place).ravel()

    return take
