"""Indices as max pooling of random values makes them, or with no order at all."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from bench.cases import Sizes, Window

Indices = np.ndarray[Any, np.dtype[np.int64]]
DIFFERENT_PLANES = 4  # the others repeat them: pooling hundreds of megabytes takes longer than a row


def pooling_indices(plane: Sizes, window: Window, planes: int) -> Indices:
    """(planes, *pooled sizes): where the largest of random values is in each window, first one first."""
    generator = np.random.default_rng(7)
    different = [_argmax(generator.random(plane, np.float32), window) for _ in range(min(planes, DIFFERENT_PLANES))]
    return _repeated(different, planes)


def random_indices(plane: Sizes, window: Window, planes: int) -> Indices:
    """The same shape, but any cell of the plane."""
    generator = np.random.default_rng(7)
    cells = int(np.prod(plane))
    different = [generator.integers(0, cells, window.pooled(plane)) for _ in range(min(planes, DIFFERENT_PLANES))]
    return _repeated(different, planes)


def _repeated(different: list[Indices], planes: int) -> Indices:
    return np.stack([different[i % len(different)] for i in range(planes)])


def _argmax(values: np.ndarray[Any, np.dtype[np.float32]], window: Window) -> Indices:
    """One position of the window at a time, over all windows at once."""
    size = window.pooled(values.shape)
    reach = [  # in ceil mode the last window may end far behind the padding
        (count - 1) * stride + dilation * (kernel - 1) + 1
        for count, stride, dilation, kernel in zip(size, window.stride, window.dilation, window.kernel, strict=True)
    ]
    border = [(p, max(r - n - p, 0)) for p, r, n in zip(window.padding, reach, values.shape, strict=True)]
    padded = np.pad(values, border, constant_values=-1.0)
    numbers = np.pad(np.arange(values.size).reshape(values.shape), border)
    largest = np.full(size, -1.0, np.float32)
    indices = np.zeros(size, np.int64)
    for position in product(*map(range, window.kernel)):
        cells = tuple(
            slice(first * dilation, first * dilation + (count - 1) * stride + 1, stride)
            for first, dilation, count, stride in zip(position, window.dilation, size, window.stride, strict=True)
        )
        larger = padded[cells] > largest
        np.copyto(largest, padded[cells], where=larger)
        np.copyto(indices, numbers[cells], where=larger)
    return indices
