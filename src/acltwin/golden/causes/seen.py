"""Models that the outputs suggest: where all wrong cells lie, with sizes found there, and what they hold instead."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from acltwin.golden.causes.lost import Mask, losing, not_reading
from acltwin.golden.causes.model import FaultClass, Maxima, Model, Prediction, model
from acltwin.golden.causes.regions import (
    IN_PLANE,
    LARGEST_TILE,
    Holds,
    Line,
    Numbers,
    Region,
    axis_lines,
    regions_of,
    tails_of,
)
from acltwin.golden.causes.view import View
from acltwin.golden.judge.bound import Bound, error_of
from acltwin.ops.spec import OpSpec

SOURCE_TILES = 24  # so many are tried
FROM_OUTPUTS = 2  # the least cost of a model that outputs suggest


def seen(spec: OpSpec, views: Sequence[View]) -> list[Model]:
    """The simplest first: no two cost the same."""
    found = list(_scaled_everywhere(views))
    for line in axis_lines(spec):  # all of it, moved or turned
        region = Region(line, "cells", "layout", lambda number, size: number >= 0)
        found += [replace(one, page=_page(line)) for one in _moved(region)]
    for region in regions_of(spec, views):
        found += [replace(one, page=_page(region.line)) for one in _of_region(spec, region, views)]
    found += _of_sources(spec, views)
    return [replace(one, cost=FROM_OUTPUTS + number / 1e4) for number, one in enumerate(found)]


def lost_in(spec: OpSpec, regions: Iterable[Region]) -> Iterator[Model]:
    """Not computed, or not written; memory that was not written at the very beginning was never cleared."""
    for region in regions:
        stale: FaultClass | None = (
            "initialisation" if region.words in ("the first cells in memory", "the first cells in a plane") else None
        )

        def kept(view: View, region: Region = region) -> Mask:
            return ~region.mask(view)

        yield from losing(spec, region.words, region.cause, region.words, kept, region.cost, stale)


def _page(line: Line) -> str:
    page = "planes" if line.noun != "cell" else "lost_along_an_axis" if "along" in line.words else "positions"
    return f"common/{page}"


def _of_region(spec: OpSpec, region: Region, views: Sequence[View]) -> Iterator[Model]:
    where = region.words
    yield from lost_in(spec, [region])
    yield from _moved(region)
    factor = factor_of(views, region.mask)
    if factor not in (None, 1):
        words = f"{where} hold {shown(factor)} times the right value"
        yield model(f"{where} times {factor}", "accumulation", words, _times, region.mask, float(factor))


def _moved(region: Region) -> Iterator[Model]:
    for words, take in _TAKES:
        words = region.line.named(words.format(region.tile))
        name, sentence = f"{region.words}: {words}", f"{region.words} hold the data of {words}"
        yield model(name, region.cause, sentence, _taking, region, take)


Take = Callable[[Numbers, int, int, int], Numbers]
"""From numbers in a line, its size, the region's tile and its first number, to those whose values stand there."""
_TAKES: tuple[tuple[str, Take], ...] = (
    ("the cell before", lambda number, size, tile, begin: number - 1),
    ("the cell behind", lambda number, size, tile, begin: number + 1),
    ("the cell {} before", lambda number, size, tile, begin: number - tile),
    ("the cell {} behind", lambda number, size, tile, begin: number + tile),
    ("the last cell before them", lambda number, size, tile, begin: np.full_like(number, begin - 1)),
    ("the first cells", lambda number, size, tile, begin: number % tile),
    ("the first cell", lambda number, size, tile, begin: np.zeros_like(number)),
    ("the last cell", lambda number, size, tile, begin: np.full_like(number, size - 1)),
    ("cells that lie as far before as they are many", lambda number, size, tile, begin: number - (size - begin)),
    ("a last block of {} cells that is moved back", lambda number, size, tile, begin: number - begin + size - tile),
    ("cells in reverse order", lambda number, size, tile, begin: size - 1 - number),
    ("cells in reverse order among them", lambda number, size, tile, begin: size - 1 - number + begin),
    ("the last cell of the block before", lambda number, size, tile, begin: number // tile * tile - 1),
    ("the first cell of their block", lambda number, size, tile, begin: number // tile * tile),
)


def _taken(region: Region, size: int, take: Take) -> Numbers:
    number, inside = np.arange(size), region.inside(size)
    other = take(number, size, region.tile, int(inside.argmax()))
    return np.where(inside, np.clip(other, 0, size - 1), number)


def _taking(view: View, region: Region, take: Take) -> Prediction:
    line = region.line
    places = _taken(region, line.parts(view, view.result)[1], take)
    if (places == np.arange(len(places))).all() or not _possible(view, region):
        return None
    return view.moved(lambda values: line.joined(view, line.split(view, values)[:, places], view.result))


def _of_sources(spec: OpSpec, views: Sequence[View]) -> Iterator[Model]:
    """Which sources are read wrongly cannot be seen, but their number must leave a rest in every case."""
    for line in (*axis_lines(spec), IN_PLANE):
        sizes = {line.parts(view, view.source)[1] for view in views}
        tiles = [tile for tile in range(2, min(min(sizes), LARGEST_TILE)) if all(size % tile for size in sizes)]
        found = [region for tile in tiles[:SOURCE_TILES] for region in tails_of(line, tile)]
        longer = [limit for limit in (2**power for power in range(17)) if limit < min(sizes)]
        found += [Region(line, f"cells from number {limit} on", "tiling", _from(limit), limit) for limit in longer]
        for region in found:
            where = f"{region.words} of the input"
            yield replace(unread(region), page=_page(line))
            for words, take in _TAKES:
                words = words.format(region.tile)
                one = model(f"{where}: {words}", "tiling", f"{where} are read as {words}", _misread, region, take)
                yield replace(one, page=_page(line))


def _from(limit: int) -> Holds:
    return lambda number, size: number >= limit


def unread(region: Region) -> Model:
    words = f"{region.words} of the input"
    return model(f"{words} lost", region.cause, f"{words} are not read", _unread, region, cost=region.cost)


def _unread(view: View, region: Region) -> Prediction:
    mask = region.mask(view, view.source)
    return not_reading(view, ~mask) if mask.any() else None


def _misread(view: View, region: Region, take: Take) -> Prediction:
    line = region.line
    places = _taken(region, line.parts(view, view.source)[1], take)
    if (places == np.arange(len(places))).all():
        return None
    return view.documented_on(line.joined(view, line.split(view, view.x)[:, places], view.source))


def _possible(view: View, region: Region) -> bool:
    return not (view.wrong & ~region.mask(view)).any()


def factor_of(views: Sequence[View], mask: Callable[[View], Mask]) -> Fraction | None:
    """What most right values there seem to be multiplied with."""
    for view in views:
        if not view.dtype.is_float:
            return None
        found = view.found
        right = view.documented_value.astype(np.float64)
        usable = mask(view) & np.isfinite(found) & np.isfinite(right)
        usable &= np.abs(right) > 64 * view.dtype.smallest_normal
        if usable.sum() < 2:
            continue
        ratios = (found[usable] / right[usable]).astype(np.float64)
        middle = float(np.median(ratios))
        same = np.abs(ratios - middle) <= 8 * view.dtype.unit * abs(middle)
        near = Fraction(middle).limit_denominator(1024)
        is_near = abs(float(near) - middle) <= 4 * view.dtype.unit * abs(middle)
        return near if middle and is_near and same.mean() > 0.5 else None
    return None


def shown(factor: Fraction) -> str:
    return str(factor) if factor.denominator < 100 else f"{float(factor):.4g}"


def _times(view: View, mask: Callable[[View], Mask], factor: float) -> Prediction:
    if not view.dtype.is_float:
        return None
    documented, factors = view.documented, view.laid(np.where(mask(view), factor, 1.0))
    value = documented.value * factors
    if documented.indices is not None:
        return Maxima(view.exactly_shaped(value), documented.indices, np.zeros(value.shape, bool))
    error = error_of(documented, Bound()) * np.abs(factors)
    exact = (factors == 1) | (np.abs(np.frexp(factors)[0]) == 0.5)
    exact &= np.abs(value) >= view.dtype.smallest_normal
    short = np.where(exact, 0.0, view.dtype.unit * np.abs(value))  # the sum may be rounded before, or the factor is
    short = short + np.where(exact | (value == 0), 0.0, view.dtype.smallest)
    found = view.between(value, np.where(np.isfinite(value), error + short, 0.0))
    sums = view.exactly_shaped(documented.value).astype(np.float64)  # one that overflows may do so before
    return replace(found, judged=found.judged & (np.isfinite(sums) | ~np.isfinite(documented.value)))


def _scaled_everywhere(views: Sequence[View]) -> Iterator[Model]:
    def mask(view: View) -> Mask:
        return np.ones((*view.batch, *view.result), bool)

    factor = factor_of(views, mask)
    if factor is not None and factor != 1:
        words = f"every value is {shown(factor)} times the right one"
        yield model(f"times {factor}", "accumulation", words, _times, mask, float(factor))
