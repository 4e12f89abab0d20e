"""Indices as max pooling of random values makes them, or with no order at all."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bench.cases import Sizes, Windows

Values = np.ndarray[Any, np.dtype[np.float32]]
Indices = np.ndarray[Any, np.dtype[np.int64]]
DIFFERENT_PLANES = 4  # the others repeat them: pooling hundreds of megabytes takes longer than a row


def pooling_indices(plane: Sizes, windows: Windows, planes: int) -> Indices:
    """(planes, *pooled sizes): where the largest of random values is in each window, first one first."""
    generator = np.random.default_rng(7)
    different = [_argmax(generator.random(plane, np.float32), windows) for _ in range(min(planes, DIFFERENT_PLANES))]
    return _repeated(different, planes)


def random_indices(plane: Sizes, pooled: Sizes, planes: int) -> Indices:
    """The same shape, but any cell of the plane."""
    generator = np.random.default_rng(7)
    different = [generator.integers(0, math.prod(plane), pooled) for _ in range(min(planes, DIFFERENT_PLANES))]
    return _repeated(different, planes)


def _repeated(different: list[Indices], planes: int) -> Indices:
    return np.stack([different[i % len(different)] for i in range(planes)])


def _argmax(values: Values, windows: Windows) -> Indices:
    """Along one axis after the other, the last one first: of equal values the first one stays the first."""
    indices = np.arange(values.size).reshape(values.shape)
    for axis in reversed(range(values.ndim)):
        values, indices = _folded(values, indices, windows[axis], axis)
    return indices


def _folded(values: Values, indices: Indices, windows: list[list[int]], axis: int) -> tuple[Values, Indices]:
    """One position of the windows at a time, over all windows at once; short ones repeat their last cell."""
    first = [one[0] for one in windows]
    largest, places = values.take(first, axis), indices.take(first, axis)
    for position in range(1, max(map(len, windows))):
        cells = [one[min(position, len(one) - 1)] for one in windows]
        later = values.take(cells, axis)
        larger = later > largest
        np.copyto(largest, later, where=larger)
        np.copyto(places, indices.take(cells, axis), where=larger)
    return largest, places
