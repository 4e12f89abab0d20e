"""3-D max pooling with the places of the maxima, from its definition."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.reference._planes import channels_first, restored, widened


def max_pool3d_with_argmax(
    input: NDArray[Any],
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None,
    padding: int | Sequence[int],
    dilation: int | Sequence[int],
    ceil_mode: bool,
    *,
    data_format: str = "NCDHW",
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Every window's cells in C order, one step of the kernel after the other, all windows at once.

    A later cell wins only if it is larger, or a NaN. Outside the input nothing is a cell.
    """
    source = channels_first(input, data_format)
    kernel = _triple(kernel_size)
    steps = kernel if stride is None or stride == () else _triple(stride)
    pads, gaps = _triple(padding), _triple(dilation)
    plane = source.shape[-3:]
    windows = [
        np.arange(_windows(n, k, s, p, d, ceil_mode)) * s - p
        for n, k, s, p, d in zip(plane, kernel, steps, pads, gaps, strict=True)
    ]
    shape = (*source.shape[:-3], *(len(first) for first in windows))
    best, places = np.full(shape, -np.inf), np.full(shape, -1, np.int64)
    values = widened(source)
    for taps in product(*map(range, kernel)):
        cells = [first + tap * gap for first, tap, gap in zip(windows, taps, gaps, strict=True)]
        (d, d_inside), (h, h_inside), (w, w_inside) = map(_inside, np.ix_(*cells), plane)
        value = values[..., d, h, w]
        wins = d_inside & h_inside & w_inside & ((value > best) | np.isnan(value) | (places < 0))
        best = np.where(wins, value, best)
        places = np.where(wins, (d * plane[1] + h) * plane[2] + w, places)
    return restored(best, data_format), restored(places, data_format)


def _inside(cells: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Cells that may be read, and which of them are those that were asked for."""
    readable = np.clip(cells, 0, size - 1)
    return readable, readable == cells


def _triple(value: int | Sequence[int]) -> tuple[int, ...]:
    values = (value,) if isinstance(value, int) else tuple(value)
    return values * 3 if len(values) == 1 else values


def _windows(n: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> int:
    """How many windows an axis of n cells has. The last one must begin inside the cells or the padding before them."""
    span = n + 2 * padding - dilation * (kernel - 1) - 1
    count = (-(-span // stride) if ceil_mode else span // stride) + 1
    return count - 1 if (count - 1) * stride >= n + padding else count
