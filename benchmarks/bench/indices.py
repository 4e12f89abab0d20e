"""Indices as max pooling of random values makes them, or with no order at all."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from bench.grid import Window

Indices = np.ndarray[Any, np.dtype[np.int64]]
DIFFERENT_PLANES = 4  # the others repeat them: pooling hundreds of megabytes takes longer than a row


def pooled_size(plane: tuple[int, ...], window: Window) -> tuple[int, ...]:
    return tuple(
        (n + 2 * padding - kernel) // stride + 1
        for n, kernel, stride, padding in zip(plane, window.kernel, window.stride, window.padding, strict=True)
    )


def pooling_indices(plane: tuple[int, ...], window: Window, planes: int) -> Indices:
    """(planes, pooled D, H, W): where the largest of random values stands in each window, first one first."""
    generator = np.random.default_rng(7)
    different = [_argmax(generator.random(plane, np.float32), window) for _ in range(min(planes, DIFFERENT_PLANES))]
    return _repeated(different, planes)


def random_indices(plane: tuple[int, ...], window: Window, planes: int) -> Indices:
    """The same shape, but any cell of the plane."""
    generator = np.random.default_rng(7)
    cells = int(np.prod(plane))
    different = [generator.integers(0, cells, pooled_size(plane, window)) for _ in range(min(planes, DIFFERENT_PLANES))]
    return _repeated(different, planes)


def _repeated(different: list[Indices], planes: int) -> Indices:
    return np.stack([different[i % len(different)] for i in range(planes)])


def _argmax(values: np.ndarray[Any, np.dtype[np.float32]], window: Window) -> Indices:
    """One position of the window at a time, over all windows at once."""
    size = pooled_size(values.shape, window)
    border = [(padding, padding) for padding in window.padding]
    padded = np.pad(values, border, constant_values=-1.0)
    numbers = np.pad(np.arange(values.size).reshape(values.shape), border)
    largest = np.full(size, -1.0, np.float32)
    indices = np.zeros(size, np.int64)
    for position in product(*map(range, window.kernel)):
        cells = tuple(
            slice(first, first + (count - 1) * stride + 1, stride)
            for first, count, stride in zip(position, size, window.stride, strict=True)
        )
        larger = padded[cells] > largest
        np.copyto(largest, padded[cells], where=larger)
        np.copyto(indices, numbers[cells], where=larger)
    return indices
