"""What max pooling looks at: planes whose maxima are easy to get wrong."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import Array, facts
from acltwin.golden.cases.streams import Stream

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
