"""Cells after some position are lost, or the first or last cell is."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.models.lost import Keep, Take, losing, not_reading, repeating
from acltwin.golden.models.model import Model, Page, Prediction
from acltwin.golden.models.view import View
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Small planes pass. In larger ones, everything after some cell is 0 or holds old memory, or the remainder "
    "after the last block does; or exactly the first or last cell is missing.",
    arises="A buffer holds a fixed number of cells; a loop runs over whole blocks only, or over the same number of "
    'elements on every core; index 0, or the last index, is mistaken for "no index".',
    wrong="for tile in range(cells // TILE): ...",
    right="for tile in range(ceil_div(cells, TILE)): ...   # with a mask for the last one",
    fix="Handle the remainder, and test with sizes just below, at and just above a multiple of every block.",
)
TILES = (4, 8, 16, 32, 64, 128, 256)
CORES = (20, 24, 25, 40, 48)  # vector cores of devices, among which elements are divided


def models(spec: OpSpec) -> tuple[Model, ...]:
    found = []
    for limit in (64, 128, 256, 512, 1024, 2048, 4096, 8192, 32768, 65536):
        cells = f"cells of a plane of the result beyond {limit}"
        found += losing(spec, f"results beyond {limit}", "tiling", cells, _results(_up_to(limit)), 1.2)
        found.append(
            Model(
                f"sources beyond {limit} lost",
                "tiling",
                f"cells of a plane of the input beyond {limit} are not read",
                _sources(_up_to(limit)),
                cost=1.2,
            )
        )
    for tile in TILES:
        found += _tiles(spec, tile)
    for cores in CORES:
        words = f"elements of the result beyond the last multiple of {cores}"
        name = f"elements left over by {cores} cores"
        found += losing(spec, name, "tiling", words, _elements(_whole_blocks(cores)), 1.3)
        if len(spec.data_formats) > 1:
            name, words = f"{name}, channels first", f"{words}, counted channels first,"
            found += losing(spec, name, "tiling", words, _elements(_whole_blocks(cores), False), 1.31)
    found += losing(spec, "last cell", "border", "the last cells of the planes", _results(lambda cells: cells - 1), 1.0)
    found += losing(spec, "first cell", "border", "the first cells of the planes", _after_first, 1.0, "initialisation")
    words = "the cells at the very beginning of the result"
    found += losing(spec, "first element", "border", words, _first_element, 1.05, "initialisation")
    found += losing(
        spec, "last element", "border", "the cells at the very end of the result", _elements(lambda n: n - 1), 1.05
    )
    found += [
        Model(
            f"{which} source lost, whole plane",
            "border",
            f"the {which} cell of every plane of the input is not read",
            predict,
        )
        for which, predict in (
            ("last", _sources(lambda cells: cells - 1)),
            ("first", lambda view: not_reading(view, (np.arange(math.prod(view.source)) > 0).reshape(view.source))),
        )
    ]
    return tuple(found)


Limit = Callable[[int], int]
"""From the number of cells to how many of them are computed."""


def _tiles(spec: OpSpec, tile: int) -> list[Model]:
    found: list[Model] = []
    cost = 1.2
    for suffix, limit, more in (
        ("", _blocks(tile), 0.0),
        (", and everything shorter than a block,", _whole_blocks(tile), 0.02),
    ):
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
        return not_reading(view, keep)

    return predict


def _elements(limit: Limit, in_memory: bool = True) -> Keep:
    """In the order of the memory, whatever the layout; or channels first."""

    def keep(view: View) -> NDArray[np.bool_]:
        count = math.prod(view.batch) * math.prod(view.result)
        kept = np.arange(count) < limit(count)
        return _in_memory(view, kept) if in_memory else kept.reshape(*view.batch, *view.result)

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
