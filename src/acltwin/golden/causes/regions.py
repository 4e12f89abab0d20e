"""Parts of a result: ends, remainders of blocks, every n-th, along an axis, in a plane, in memory, among planes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import Array
from acltwin.golden.causes.lost import Mask
from acltwin.golden.causes.model import FaultClass
from acltwin.golden.causes.view import View
from acltwin.ops.spec import OpSpec

Numbers = NDArray[np.int64]
Sizes = tuple[int, ...]
TILES = (4, 8, 16, 32, 64, 128, 256)  # of which there are models; others are found in outputs
LARGEST_TILE, MOST_TILES = 1024, 12  # of the tiles that fit the outputs so many are tried
LARGEST_STEP = 256
FEW = 8  # cells at an end
LOOKED_AT = 40  # failing cases


@dataclass(frozen=True)
class Line:
    """Cells along an axis, or planes, by their numbers. ``parts``: how many lie before, on and behind it."""

    words: str
    parts: Callable[[View, Sizes], tuple[int, int, int]]
    noun: str = "cell"
    in_memory: bool = False  # in the layout of the case; otherwise channels first

    def named(self, text: str) -> str:
        """A text about cells, about what is numbered here."""
        return text.replace("cell", self.noun).replace("batchs", "batches")

    def split(self, view: View, values: Array) -> Array:
        parts = self.parts(view, values.shape[-view.axes :])
        return np.ascontiguousarray(view.laid(values) if self.in_memory else values).reshape(parts)

    def joined(self, view: View, values: Array, sizes: Sizes) -> Array:
        if self.in_memory and view.channels_last:
            return np.moveaxis(values.reshape(view.batch[0], *sizes, view.batch[1]), -1, 1)
        return values.reshape(*view.batch, *sizes)

    def wrong(self, view: View) -> Mask:
        return np.asarray(self.split(view, view.wrong).any((0, 2)))


def axis_lines(spec: OpSpec) -> list[Line]:
    def line(axis: int) -> Line:
        def parts(view: View, sizes: Sizes) -> tuple[int, int, int]:
            return math.prod(view.batch) * math.prod(sizes[:axis]), sizes[axis], math.prod(sizes[axis + 1 :])

        return Line(f" along {spec.axes[axis]}", parts)

    return [line(axis) for axis in range(len(spec.axes))]


IN_PLANE = Line(" in a plane", lambda view, sizes: (math.prod(view.batch), math.prod(sizes), 1))
IN_MEMORY, CHANNELS_FIRST = (
    Line(words, lambda view, sizes: (1, math.prod(view.batch) * math.prod(sizes), 1), in_memory=in_memory)
    for words, in_memory in ((" in memory", True), (", counted channels first,", False))
)
PLANES = (
    Line("", lambda view, sizes: (1, math.prod(view.batch), math.prod(sizes)), "plane"),
    Line("", lambda view, sizes: (*view.batches, math.prod(sizes)), "channel"),
    Line("", lambda view, sizes: (1, view.batches[0], view.batches[1] * math.prod(sizes)), "batch"),
)


def lines_of(spec: OpSpec) -> list[Line]:
    formats = [CHANNELS_FIRST] if len(spec.data_formats) > 1 else []
    return [*axis_lines(spec), *PLANES, IN_PLANE, IN_MEMORY, *formats]


Holds = Callable[[Numbers, int], Mask]
"""Which numbers, of so many along a line, a region has."""


@dataclass(frozen=True)
class Region:
    """``tile``: the size that it depends on."""

    line: Line
    what: str
    cause: FaultClass
    holds: Holds
    tile: int = 1
    cost: float = 1.2

    @property
    def words(self) -> str:
        planes = "" if self.line.noun == "cell" else "the cells of "
        return f"{planes}{self.line.named(self.what)}{self.line.words}"

    def inside(self, size: int) -> Mask:
        return self.holds(np.arange(size), size)

    def limits(self, wrong: Mask) -> bool:
        """Whether it begins or ends at one of the wrong numbers, and leaves others out."""
        inside = self.inside(len(wrong))
        numbers = np.flatnonzero(inside)
        return bool(wrong[numbers[:1]].any() or wrong[numbers[-1:]].any()) and not inside.all()

    def mask(self, view: View, sizes: Sizes = ()) -> Mask:
        """Channels first; of the result, unless other sizes are given."""
        sizes = sizes or view.result
        before, size, behind = self.line.parts(view, sizes)
        return self.line.joined(view, np.broadcast_to(self.inside(size)[:, None], (before, size, behind)), sizes)


def ends_of(line: Line, count: int = 1, of: tuple[str, ...] = ("last", "first")) -> Iterator[Region]:
    one = "cells" if line.noun == "cell" else "cell"
    cells = one if count == 1 else f"{count} cells"
    for which in of:
        last = which == "last"

        def holds(number: Numbers, size: int, last: bool = last) -> Mask:
            return number >= size - count if last else number < count

        yield Region(line, f"the {which} {cells}", "border", holds, count, 1.1)


def tails_of(line: Line, tile: int) -> Iterator[Region]:
    words = f"cells beyond the last whole block of {tile}"
    for suffix, least, cost in (("", tile, 1.2), (", and all where there are fewer,", 0, 1.22)):

        def holds(number: Numbers, size: int, least: int = least) -> Mask:
            return np.asarray((number >= size // tile * tile) & (size > least))

        yield Region(line, f"{words}{suffix}", "tiling", holds, tile, cost)


def common_regions(line: Line) -> list[Region]:
    return [*ends_of(line), *(region for tile in TILES for region in tails_of(line, tile))]


def regions_of(spec: OpSpec, views: Sequence[View]) -> Iterator[Region]:
    """Those that hold all wrong cells of every case, and leave out some."""
    for line in lines_of(spec):
        found = [line.wrong(view) for view in views[:LOOKED_AT]]
        if all(len(one) == 1 or one.all() for one in found):
            continue
        for region in _around(line, found):
            inside = [region.inside(len(one)) for one in found]
            holds = not any((one & ~mine).any() for one, mine in zip(found, inside, strict=True))
            if holds and not all(mine.all() for mine in inside):
                yield region


def _around(line: Line, lines: Sequence[Mask]) -> Iterator[Region]:
    each = [(len(one), int(one.argmax())) for one in lines]
    wrong = np.unique(np.concatenate([np.flatnonzero(one) for one in lines]))
    tail, head = max(size - begin for size, begin in each), int(wrong[-1]) + 1
    yield from ends_of(line, tail, ("last",)) if tail <= FEW else ()
    yield from ends_of(line, head, ("first",)) if head <= FEW else ()
    yield Region(line, "the first and last cells", "border", lambda number, size: (number == 0) | (number == size - 1))
    fitting = [t for t in range(2, LARGEST_TILE) if all(n % t and n // t * t <= begin for n, begin in each)]
    begun = {t: sum(n > t and n // t * t == begin for n, begin in each) for t in fitting}
    touched = sorted((t for t in fitting if begun[t]), key=lambda t: (-begun[t], t & (t - 1) != 0, t % 8 != 0, t))
    for tile in touched[:MOST_TILES]:
        yield from tails_of(line, tile)
    least = int(wrong[0])
    yield Region(line, f"cells from number {least} on", "tiling", lambda number, size: number >= least, max(least, 1))
    yield Region(line, f"cells {least}", "tiling", lambda number, size: number == least)
    steps = range(LARGEST_STEP, 1, -1) if len(wrong) > 1 else ()
    longest = next((step for step in steps if len(np.unique(wrong % step)) == 1), 1)
    for step in (step for step in range(longest, 1, -1) if longest % step == 0):
        for begin in sorted({least % step, least}):

            def holds(number: Numbers, size: int, step: int = step, begin: int = begin) -> Mask:
                return np.asarray((number >= begin) & ((number - begin) % step == 0))

            yield Region(line, f"cells {begin}, {begin + step}, {begin + 2 * step}, ...", "tiling", holds, step)
