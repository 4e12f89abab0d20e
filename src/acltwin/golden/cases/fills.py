"""Data: what stands in the tensor whose values flow."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.codes import code_of_plane, digit_count, digit_planes, sum_code, sum_planes, turn_of_group
from acltwin.golden.cases.dtypes import Array, Facts, facts, rounded
from acltwin.golden.cases.family import Geometry, adds, weighs
from acltwin.golden.cases.streams import Stream
from acltwin.ops.spec import OpSpec

SPECIALS = ("nan", "inf", "both infinities", "denormal", "largest", "minus zero")


@dataclass(frozen=True)
class Making:
    """What a tensor's data are made from."""

    spec: OpSpec
    geometry: Geometry
    dtype: str
    fill: str
    batch: tuple[int, ...]
    seed: int
    case: str
    first_code: int = 0  # the code of the first plane

    def stream(self, tensor: str) -> Stream:
        return Stream(self.seed, self.case, tensor)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the values, channels first."""
        return (*self.batch, *self.geometry.source)


def planes_needed(spec: OpSpec, geometry: Geometry, dtype: str, fill: str) -> int:
    """How many planes along the last batch axis a fill needs."""
    kind = fill.partition("-")[0]
    sources = math.prod(geometry.source)
    if kind == "special" and facts(dtype).is_float:
        return len(SPECIALS)
    if kind == "impulse":
        return sources
    if kind != "coded":
        return 1
    if weighs(spec):
        return math.prod(comb_steps(geometry))
    return sum_code(sources, geometry.terms, dtype).planes if adds(spec) else digit_count(sources, dtype)


def values(making: Making, tensor: str) -> Array:
    """The tensor, channels first."""
    kind = making.fill.partition("-")[0]
    stream = making.stream(tensor)
    if kind == "coded":
        return _coded(making, stream)
    if kind == "impulse":
        planes = np.eye(math.prod(making.geometry.source), dtype=np.int64)
        return _spread(planes, making)
    if kind == "signed":
        return signed(stream, making.shape, making.dtype, making.geometry.terms)
    if kind == "rounding":
        return _rounding(stream, making)
    if kind == "real":
        return rounded(stream.reals(making.shape), facts(making.dtype).dtype)
    if kind == "special":
        return _special(stream, making)
    raise ValueError(f"no fill is called {making.fill!r}; expected coded, signed, rounding, real, special or impulse")


def signed(stream: Stream, shape: tuple[int, ...], dtype: str, terms: int) -> Array:
    """Small integers of both signs, none of them 0: a cell with a wrong weight stays unseen with 1 in 16 a plane."""
    fact = facts(dtype)
    if fact.lowest == 0:
        return stream.integers(1, 16, shape).astype(fact.dtype) if fact.bits > 1 else stream.integers(0, 1, shape) == 1
    return stream.signed(max(1, min(8, 2**fact.bits // terms)), shape).astype(np.float64).astype(fact.dtype)


COMBS = range(8, 65)  # how many planes there may be: of large planes the fewest
COMB_CELLS = 2**17


def comb_steps(geometry: Geometry) -> tuple[int, ...]:
    """How far the ones of a plane are apart along each axis: so far that a cell takes one of them, if that is cheap."""
    steps = [min(size, span + 3) for size, span in zip(geometry.source, geometry.spans, strict=True)]
    cells = math.prod(geometry.source) + math.prod(geometry.result)
    most = min(max(COMB_CELLS // cells, COMBS[0]), COMBS[-1])
    while math.prod(steps) > most:
        steps[steps.index(max(steps))] -= 1
    return tuple(steps)


def combs(geometry: Geometry) -> NDArray[np.int64]:
    """(planes, sources): ones and zeros. What comes out is the weight of the one that a cell takes."""
    steps = comb_steps(geometry)
    number = np.zeros((), np.int64)
    for size, step in zip(geometry.source, steps, strict=True):
        number = number[..., None] * step + np.arange(size) % step
    return np.asarray(number.ravel() == np.arange(math.prod(steps))[:, None], np.int64)


def unread(making: Making, stream: Stream, shape: tuple[int, ...]) -> Array:
    """Values that must not matter: with special data, zeros, NaN and infinities among them."""
    made = signed(stream, shape, making.dtype, 1)
    if making.fill != "special":
        return made
    odd = (0.0, np.nan, np.inf, -np.inf) if facts(making.dtype).is_float else (0,)
    for number, value in enumerate(odd):
        made = np.where(stream.of(1).integers(0, 5, shape) == number, made.dtype.type(value), made)
    return made


def _coded(making: Making, stream: Stream) -> Array:
    sources = math.prod(making.geometry.source)
    if weighs(making.spec):
        return _spread(combs(making.geometry), making)
    if not adds(making.spec):
        return _digits(sources, making)
    code = sum_code(sources, making.geometry.terms, making.dtype)
    return _spread(sum_planes(code, stream, ranks(making.geometry)), making)


def _digits(sources: int, making: Making) -> Array:
    count = digit_count(sources, making.dtype)
    planes = [
        digit_planes(sources, making.dtype, turn_of_group(plane, count, sources))[code_of_plane(plane, count)]
        for plane in np.ndindex(*making.batch)
    ]
    return np.stack(planes).reshape(making.shape).astype(facts(making.dtype).dtype)


def ranks(geometry: Geometry) -> NDArray[np.int64]:
    """A number for every source that differs from those of the others in its cell, below ``terms``."""
    rank = np.zeros((), np.int64)
    for size, span in zip(geometry.source, geometry.spans, strict=True):
        rank = rank[..., None] * span + np.arange(size) % span
    return rank.ravel()


def _spread(planes: NDArray[np.int64], making: Making) -> Array:
    """The codes over the planes of the batch."""
    first = making.first_code
    order = [(first + code_of_plane(plane, len(planes))) % len(planes) for plane in np.ndindex(*making.batch)]
    return planes[order].reshape(making.shape).astype(facts(making.dtype).dtype)


def _rounding(stream: Stream, making: Making) -> Array:
    """Integers up to 2^p whose sums go beyond: each needs exactly one rounding, and many are ties.

    Every second plane has one sign. All sums are exact in float32, and none overflows.
    """
    fact = facts(making.dtype)
    largest = min(2**fact.bits, int(min(fact.largest, 2.0**24)) // making.geometry.terms)
    drawn = stream.signed(max(1, largest), making.shape)
    positive = np.indices(making.batch).sum(0) % 2 == 0
    positive = positive.reshape(*making.batch, *(1,) * len(making.geometry.source))
    return np.where(positive, np.abs(drawn), drawn).astype(fact.dtype)


def _special(stream: Stream, making: Making) -> Array:
    """One kind of special value a channel, on some of its cells, the first and the last among them."""
    fact = facts(making.dtype)
    drawn = stream.signed(4, making.shape)
    if not fact.is_float:
        small = drawn % 5 if fact.lowest == 0 else drawn
        high, low = fact.largest - (drawn == 3), fact.lowest + (drawn == -3)  # neighbours, which float32 confuses
        return np.where(drawn > 2, high, np.where(drawn < -2, low, small)).astype(fact.dtype)
    planes = (math.prod(making.batch), math.prod(making.geometry.source))
    hit = (stream.of(1).integers(0, 6, making.shape) == 0).reshape(planes)
    side = (stream.of(2).integers(0, 1, making.shape) == 0).reshape(planes)
    hit[:, [0, -1]] = True
    cells = drawn.astype(np.float64).reshape(planes)
    for number in range(planes[0]):
        kind = SPECIALS[number % making.batch[-1] % len(SPECIALS)]
        cells[number] = _special_plane(kind, cells[number], hit[number], side[number], fact)
    return cells.reshape(making.shape).astype(fact.dtype)


def _special_plane(
    kind: str, cells: NDArray[np.float64], hit: NDArray[np.bool_], side: NDArray[np.bool_], fact: Facts
) -> NDArray[np.float64]:
    if kind == "nan":
        return np.where(hit, np.nan, cells)
    if kind == "inf":
        return np.where(hit, np.inf, cells)
    if kind == "both infinities":
        return np.where(hit, np.where(side, np.inf, -np.inf), cells)
    if kind == "denormal":
        return cells * fact.smallest
    if kind == "largest":  # of one sign: with both, overflow on the way would depend on the order
        return np.where(hit, fact.largest, 0.0)
    return np.where(hit | side, -0.0, cells)


# ---- what max pooling looks at: planes whose maxima are easy to get wrong ----

IMAGES = ("distinct", "ties", "negative", "close", "nan")
"""No two equal values in a window; few values; all below 0; neighbours in the dtype; 15 % NaN among distinct values."""


def image(kind: str, stream: Stream, shape: tuple[int, ...], dtype: str, extents: tuple[int, ...]) -> Array:
    """``extents`` are the cells that a window spans."""
    fact = facts(dtype)
    if kind == "ties":
        return stream.integers(-1, 2, shape).astype(fact.dtype)
    codes = _codes(stream, shape, extents, fact.bits)
    if kind == "close":
        steps: NDArray[np.float64] = codes * 2.0 ** (1 - fact.bits)
        return (1.0 + steps).astype(fact.dtype)
    if kind == "negative":
        return (-1.0 - codes).astype(fact.dtype)
    centred = codes - codes.max() // 2
    if kind == "nan":
        centred = np.where(stream.of(1).uniform(shape) < 0.15, np.nan, centred)
    return np.asarray(centred).astype(fact.dtype)


def _codes(stream: Stream, shape: tuple[int, ...], extents: tuple[int, ...], bits: int) -> NDArray[np.float64]:
    """Whole numbers from 0 that never repeat inside a window; not inside a plane either, where the dtype can do it."""
    axes = len(extents)
    plane = shape[-axes:]
    cells = math.prod(plane)
    few = 2 ** (bits - 1)
    tile = plane if cells <= few else tuple(map(min, extents, plane))
    if math.prod(tile) > few:
        raise ValueError(
            f"a window spans {math.prod(tile)} cells, more than the {few} numbers that are far enough apart"
        )
    address = np.zeros(plane, np.int64)
    for axis, extent in enumerate(tile):
        place = np.arange(plane[axis]) % extent
        address = address * extent + place.reshape(-1, *(1,) * (axes - 1 - axis))
    planes = [stream.of(2 + number).permutation(math.prod(tile))[address] for number in range(math.prod(shape[:-axes]))]
    return np.stack(planes).reshape(shape).astype(np.float64)
