"""What every operator can lose along an axis, in a plane or in the whole result: remainders, ends, limits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from acltwin.golden.cases.family import adds
from acltwin.golden.causes.model import Catalogue, Model, Prediction, model
from acltwin.golden.causes.regions import IN_MEMORY, IN_PLANE, TILES, axis_lines, common_regions
from acltwin.golden.causes.seen import lost_in, unread
from acltwin.golden.causes.view import View, along
from acltwin.ops.spec import OpSpec

common = Catalogue("common")


@common.cause(
    "The remainder of an axis, or its first or last cell, is left out",
    looks="Rows whose length is a multiple of some block pass. In others, the cells after the last whole block are 0, "
    "hold old memory, repeat other cells, or count twice. Or exactly the first or last row or column is missing. "
    "Blocks of other sizes, and cells that hold the data of others, are found in the outputs.",
    arises="A loop over blocks of a row skips the remainder, or moves the last block back and adds again what both "
    "blocks hold; or a loop starts at 1 or ends one too early.",
    wrong="for x in range(0, width // 16 * 16, 16): ...",
    right="for x in range(0, width, 16): ...   # the last one masked to width - x",
    fix="Mask the last block, and test with sizes such as 9, 17, 33 and 65.",
)
def lost_along_an_axis(spec: OpSpec) -> Iterator[Model]:
    for axis, line in enumerate(axis_lines(spec)):
        yield from lost_in(spec, common_regions(line))
        yield from map(unread, common_regions(line))
        for tile in TILES if adds(spec) else ():
            letter = spec.axes[axis]
            words = (
                f"the last block of {tile} along {letter} is moved back to be whole, and what it shares with the one "
            )
            name, sentence = f"sources in two blocks of {tile} along {letter}", f"{words}before is added twice"
            yield model(name, "tiling", sentence, _twice, axis, tile, cost=1.2)


def _twice(view: View, axis: int, tile: int) -> Prediction:
    size = view.source[axis]
    if size <= tile or size % tile == 0:
        return None
    weight = np.ones(size)
    weight[size - tile : size // tile * tile] = 2.0
    return view.documented_on(view.x * along(axis, view.axes, weight))


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
    yield from lost_in(spec, common_regions(IN_PLANE))
    yield from map(unread, common_regions(IN_PLANE))
    yield from lost_in(spec, common_regions(IN_MEMORY))
