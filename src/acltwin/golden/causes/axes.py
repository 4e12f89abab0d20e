"""What every operator can lose along an axis, in a plane or in the whole result: remainders, ends, limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.family import adds
from acltwin.golden.causes.lost import Keep, Mask, Take, losing, not_reading, repeating
from acltwin.golden.causes.model import Catalogue, Model, Prediction, model
from acltwin.golden.causes.view import View, along
from acltwin.ops.spec import OpSpec

common = Catalogue("common")
TILES = (4, 8, 16, 32, 64, 128, 256)
CORES = (20, 24, 25, 40, 48)  # vector cores of devices, among which elements are divided
REPEATS = (("the block before it", True), ("the last cell before it", False))
Whole = Callable[[int], tuple[int, int]]
"""From the size of an axis, or a number of cells, to those that are there: from, to."""


def _after_first(size: int) -> tuple[int, int]:
    return 1, size


def _before_last(size: int) -> tuple[int, int]:
    return 0, size - 1


def _up_to(limit: int) -> Whole:
    return lambda size: (0, min(size, limit))


def _beyond(tile: int) -> Whole:
    """What is shorter than a block is computed."""
    return lambda size: (0, size // tile * tile if size > tile else size)


def _blocks(tile: int) -> Whole:
    """What is shorter than a block is lost as well."""
    return lambda size: (0, size // tile * tile)


def _there(size: int, whole: Whole) -> Mask:
    begin, end = whole(size)
    place = np.arange(size)
    return (place >= begin) & (place < end)


def _tail_from(size: int, tile: int, block: bool) -> NDArray[np.int64]:
    """Places of which those beyond the last whole block are others: in the block before, or its last cell."""
    place = np.arange(size)
    if size <= tile:
        return place
    whole = size // tile * tile
    return np.where(place < whole, place, place - tile if block else whole - 1)


@common.cause(
    "The remainder of an axis, or its first or last cell, is left out",
    looks="Rows whose length is a multiple of some block pass. In others, the cells after the last whole block are 0, "
    "hold old memory, repeat other cells, or count twice. Or exactly the first or last row or column is missing.",
    arises="A loop over blocks of a row skips the remainder, or moves the last block back and adds again what both "
    "blocks hold; or a loop starts at 1 or ends one too early.",
    wrong="for x in range(0, width // 16 * 16, 16): ...",
    right="for x in range(0, width, 16): ...   # the last one masked to width - x",
    fix="Mask the last block, and test with sizes such as 9, 17, 33 and 65.",
)
def lost_along_an_axis(spec: OpSpec) -> Iterator[Model]:
    for axis, letter in enumerate(spec.axes):
        for name, words, whole in (
            ("first cell", f"the first cells along {letter}", _after_first),
            ("last cell", f"the last cells along {letter}", _before_last),
        ):
            yield from losing(spec, f"{name} along {letter}", "border", words, _along(axis, whole), 1.1)
            sentence = f"{words} of the input are not read"
            yield model(f"{name} of the input lost along {letter}", "border", sentence, _unread, axis, whole, cost=1.1)
        for tile in TILES:
            yield from _axis_tiles(spec, axis, tile)
        for limit in (1, 2, 3, 4, 8, 16, 32, 64, 128, 256, 512, 1024):
            words = f"cells of the result beyond the first {limit} along {letter}"
            name = f"results beyond {limit} along {letter}"
            yield from losing(spec, name, "tiling", words, _along(axis, _up_to(limit)), 1.3)
            yield model(
                f"sources beyond {limit} along {letter} lost",
                "tiling",
                f"sources beyond the first {limit} along {letter} are not read",
                _unread,
                axis,
                _up_to(limit),
                cost=1.3,
            )


def _axis_tiles(spec: OpSpec, axis: int, tile: int) -> Iterator[Model]:
    letter, cost = spec.axes[axis], 1.2
    words = f"cells of the result beyond the last whole block of {tile} along {letter}"
    name = f"beyond blocks of {tile} along {letter}"
    yield from losing(spec, f"results {name}", "tiling", words, _along(axis, _beyond(tile)), cost)
    short = f"{words}, and axes shorter than a block,"
    yield from losing(spec, f"results {name}, or short,", "tiling", short, _along(axis, _blocks(tile)), cost + 0.02)
    for other, block in REPEATS:
        sentence = f"the remainder beyond the last whole block of {tile} along {letter} repeats {other}"
        take = _axis_repeated(axis, tile, block)
        yield model(f"results {name} repeat {other}", "tiling", sentence, repeating, take, cost=cost)
    for suffix, whole in (("", _beyond(tile)), (", and axes shorter than a block,", _blocks(tile))):
        yield model(
            f"sources {name} lost{suffix}",
            "tiling",
            f"sources beyond the last whole block of {tile} along {letter}{suffix} are not read",
            _unread,
            axis,
            whole,
            cost=cost + 0.02 * bool(suffix),
        )
    if adds(spec):
        yield model(
            f"sources in two blocks of {tile} along {letter}",
            "tiling",
            f"the last block of {tile} along {letter} is moved back to be whole, and what it shares with the one "
            "before is added twice",
            _twice,
            axis,
            tile,
            cost=cost,
        )


def _along(axis: int, whole: Whole) -> Keep:
    return lambda view: along(axis, view.axes, _there(view.result[axis], whole))


def _unread(view: View, axis: int, whole: Whole) -> Prediction:
    kept = _there(view.source[axis], whole)
    return None if kept.all() else not_reading(view, along(axis, view.axes, kept))


def _twice(view: View, axis: int, tile: int) -> Prediction:
    size = view.source[axis]
    if size <= tile or size % tile == 0:
        return None
    weight = np.ones(size)
    weight[size - tile : size // tile * tile] = 2.0
    return view.documented_on(view.x * along(axis, view.axes, weight))


def _axis_repeated(axis: int, tile: int, block: bool) -> Take:
    def take(view: View) -> NDArray[np.int64]:
        cells = np.arange(view.wrong.size).reshape(view.wrong.shape)
        return cells.take(_tail_from(view.result[axis], tile, block), len(view.batch) + axis).ravel()

    return take


@common.cause(
    "Cells after some position are lost, or the first or last cell is",
    looks="Small planes pass. In larger ones, everything after some cell is 0 or holds old memory, or the remainder "
    "after the last block does; or exactly the first or last cell is missing.",
    arises="A buffer holds a fixed number of cells; a loop runs over whole blocks only, or over the same number of "
    'elements on every core; index 0, or the last index, is mistaken for "no index".',
    wrong="for tile in range(cells // TILE): ...",
    right="for tile in range(ceil_div(cells, TILE)): ...   # with a mask for the last one",
    fix="Handle the remainder, and test with sizes just below, at and just above a multiple of every block.",
)
def positions(spec: OpSpec) -> Iterator[Model]:
    for limit in (64, 128, 256, 512, 1024, 2048, 4096, 8192, 32768, 65536):
        cells = f"cells of a plane of the result beyond {limit}"
        yield from losing(spec, f"results beyond {limit}", "tiling", cells, _in_plane(_up_to(limit)), 1.2)
        words = f"cells of a plane of the input beyond {limit} are not read"
        yield model(f"sources beyond {limit} lost", "tiling", words, _unread_in_plane, _up_to(limit), cost=1.2)
    for tile in TILES:
        yield from _plane_tiles(spec, tile)
    for cores in CORES:
        words = f"elements of the result beyond the last multiple of {cores}"
        name = f"elements left over by {cores} cores"
        yield from losing(spec, name, "tiling", words, _in_result(_blocks(cores)), 1.3)
        if len(spec.data_formats) > 1:
            name, words = f"{name}, channels first", f"{words}, counted channels first,"
            yield from losing(spec, name, "tiling", words, _in_result(_blocks(cores), False), 1.31)
    for name, words, keep, cost in (
        ("last cell", "the last cells of the planes", _in_plane(_before_last), 1.0),
        ("first cell", "the first cells of the planes", _in_plane(_after_first), 1.0),
        ("first element", "the cells at the very beginning of the result", _in_result(_after_first), 1.05),
        ("last element", "the cells at the very end of the result", _in_result(_before_last), 1.05),
    ):
        yield from losing(spec, name, "border", words, keep, cost, "initialisation" if "first" in name else None)
    for which, whole in (("last", _before_last), ("first", _after_first)):
        words = f"the {which} cell of every plane of the input is not read"
        yield model(f"{which} source lost, whole plane", "border", words, _unread_in_plane, whole)


def _plane_tiles(spec: OpSpec, tile: int) -> Iterator[Model]:
    cost = 1.2
    for suffix, whole, more in (
        ("", _beyond(tile), 0.0),
        (", and everything shorter than a block,", _blocks(tile), 0.02),
    ):
        where = f"beyond the last whole block of {tile}{suffix}"
        name = f"beyond blocks of {tile}{suffix}"
        words = f"cells of a plane of the result {where}"
        yield from losing(spec, f"results {name}", "tiling", words, _in_plane(whole), cost + more)
        words = f"elements of the result {where}"
        yield from losing(spec, f"elements {name}", "tiling", words, _in_result(whole), cost + 0.1 + more)
        words = f"cells of a plane of the input {where} are not read"
        yield model(f"sources {name} lost", "tiling", words, _unread_in_plane, whole, cost=cost + more)
    for other, block in REPEATS:
        words = f"the remainder of a plane beyond its last whole block of {tile} repeats {other}"
        take = _plane_repeated(tile, block)
        yield model(f"results beyond blocks of {tile} repeat {other}", "tiling", words, repeating, take, cost=cost)


def _in_plane(whole: Whole) -> Keep:
    return lambda view: _there(math.prod(view.result), whole).reshape(view.result)


def _unread_in_plane(view: View, whole: Whole) -> Prediction:
    kept = _there(math.prod(view.source), whole)
    return None if kept.all() else not_reading(view, kept.reshape(view.source))


def _in_result(whole: Whole, in_memory: bool = True) -> Keep:
    """In the order of the memory, whatever the layout; or channels first."""

    def keep(view: View) -> Mask:
        kept = _there(math.prod(view.batch) * math.prod(view.result), whole)
        if not in_memory:
            return kept.reshape(*view.batch, *view.result)
        laid = kept.reshape(view.documented.value.shape)
        return np.moveaxis(laid, -1, 1) if view.channels_last else laid

    return keep


def _plane_repeated(tile: int, block: bool) -> Take:
    def take(view: View) -> NDArray[np.int64]:
        place = _tail_from(math.prod(view.result), tile, block)
        return np.asarray(np.arange(math.prod(view.batch))[:, None] * len(place) + place).ravel()

    return take
