"""The remainder of an axis, or its first or last cell, is left out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.fills import adds
from acltwin.golden.models.lost import Keep, Mask, Take, losing, not_reading, repeating
from acltwin.golden.models.model import Model, Page, Prediction
from acltwin.golden.models.view import View
from acltwin.ops.spec import OpSpec

TILES = (4, 8, 16, 32, 64, 128, 256)
LIMITS = (1, 2, 3, 4, 8, 16, 32, 64, 128, 256)
Whole = Callable[[int], tuple[int, int]]
"""From the size of an axis to the cells of it that are there: from, to."""

PAGE = Page(
    looks="Rows whose length is a multiple of some block pass. In others, the cells after the last whole block are 0, "
    "hold old memory, repeat other cells, or count twice. Or exactly the first or last row or column is missing.",
    arises="A loop over blocks of a row skips the remainder, or moves the last block back and adds again what both "
    "blocks hold; or a loop starts at 1 or ends one too early.",
    wrong="for x in range(0, width // 16 * 16, 16): ...",
    right="for x in range(0, width, 16): ...   # the last one masked to width - x",
    fix="Mask the last block, and test with sizes such as 9, 17, 33 and 65.",
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    found = []
    for axis, letter in enumerate(spec.axes):
        for name, words, whole in (
            ("first cell", f"the first cells along {letter}", lambda size: (1, size)),
            ("last cell", f"the last cells along {letter}", lambda size: (0, size - 1)),
        ):
            found += losing(spec, f"{name} along {letter}", "border", words, _results(axis, whole), 1.1)
            found.append(
                Model(
                    f"{name} of the input lost along {letter}",
                    "border",
                    f"{words} of the input are not read",
                    _sources(axis, whole),
                    cost=1.1,
                )
            )
        for tile in TILES:
            found += _tiles(spec, axis, tile)
        for limit in LIMITS:
            words = f"cells of the result beyond the first {limit} along {letter}"
            name = f"results beyond {limit} along {letter}"
            found += losing(spec, name, "tiling", words, _results(axis, _up_to(limit)), 1.3)
            found.append(
                Model(
                    f"sources beyond {limit} along {letter} lost",
                    "tiling",
                    f"sources beyond the first {limit} along {letter} are not read",
                    _sources(axis, _up_to(limit)),
                    cost=1.3,
                )
            )
    return tuple(found)


def _tiles(spec: OpSpec, axis: int, tile: int) -> list[Model]:
    letter, cost = spec.axes[axis], 1.2
    words = f"cells of the result beyond the last whole block of {tile} along {letter}"
    name = f"beyond blocks of {tile} along {letter}"
    found = losing(spec, f"results {name}", "tiling", words, _results(axis, _beyond(tile)), cost)
    short = f"{words}, and axes shorter than a block,"
    found += losing(spec, f"results {name}, or short,", "tiling", short, _results(axis, _blocks(tile)), cost + 0.02)
    for words_before, back in (("the block before it", tile), ("the last cell before it", 0)):
        found.append(
            Model(
                f"results {name} repeat {words_before}",
                "tiling",
                f"the remainder beyond the last whole block of {tile} along {letter} repeats {words_before}",
                repeating(_repeated(axis, tile, back)),
                cost=cost,
            )
        )
    for suffix, whole in (("", _beyond(tile)), (", and axes shorter than a block,", _blocks(tile))):
        found.append(
            Model(
                f"sources {name} lost{suffix}",
                "tiling",
                f"sources beyond the last whole block of {tile} along {letter}{suffix} are not read",
                _sources(axis, whole),
                cost=cost + 0.02 * bool(suffix),
            )
        )
    if adds(spec):
        found.append(
            Model(
                f"sources in two blocks of {tile} along {letter}",
                "tiling",
                f"the last block of {tile} along {letter} is moved back to be whole, and what it shares with the one "
                "before is added twice",
                _twice(axis, tile),
                cost=cost,
            )
        )
    return found


def _twice(axis: int, tile: int) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        size = view.source[axis]
        if size <= tile or size % tile == 0:
            return None
        weight = np.ones(size)
        weight[size - tile : size // tile * tile] = 2.0
        return view.documented_on(view.x * weight.reshape(-1, *(1,) * (view.axes - 1 - axis)))

    return predict


def _up_to(limit: int) -> Whole:
    return lambda size: (0, min(size, limit))


def _beyond(tile: int) -> Whole:
    """An axis shorter than a block is computed."""
    return lambda size: (0, size // tile * tile if size > tile else size)


def _blocks(tile: int) -> Whole:
    """An axis shorter than a block is lost too."""
    return lambda size: (0, size // tile * tile)


def _mask(sizes: tuple[int, ...], axis: int, whole: Whole) -> Mask:
    begin, end = whole(sizes[axis])
    place = np.arange(sizes[axis]).reshape(-1, *(1,) * (len(sizes) - 1 - axis))
    return np.asarray((place >= begin) & (place < end))


def _results(axis: int, whole: Whole) -> Keep:
    return lambda view: _mask(view.result, axis, whole)


def _sources(axis: int, whole: Whole) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        kept = _mask(view.source, axis, whole)
        if kept.all():
            return None
        return not_reading(view, kept)

    return predict


def _repeated(axis: int, tile: int, back: int) -> Take:
    def take(view: View) -> NDArray[np.int64]:
        size = view.result[axis]
        place = np.arange(size)
        if size > tile:
            whole = size // tile * tile
            place = np.where(place < whole, place, place - back if back else whole - 1)
        cells = np.arange(view.wrong.size).reshape(view.wrong.shape)
        return cells.take(place, len(view.batch) + axis).ravel()

    return take
