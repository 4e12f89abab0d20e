"""Max pooling with the places of the maxima, and its gradient, from their definitions."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.reference._planes import channels_first, planes_of, restored, widened


def max_pool(axes: int) -> Callable[..., tuple[NDArray[Any], NDArray[np.int64]]]:
    """The pooling of tensors with so many spatial axes."""

    def pool(
        input: NDArray[Any],
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] | None,
        padding: int | Sequence[int],
        dilation: int | Sequence[int],
        ceil_mode: bool,
        *,
        data_format: str = "",
    ) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Every window's cells in C order, one step of the kernel after the other, all windows at once.

        A later cell wins only if it is larger, or a NaN. Outside the input nothing is a cell.
        """
        source = channels_first(input, data_format)
        kernel = _per_axis(kernel_size, axes)
        steps = kernel if stride is None or stride == () else _per_axis(stride, axes)
        pads, gaps = _per_axis(padding, axes), _per_axis(dilation, axes)
        plane = source.shape[-axes:]
        windows = [
            np.arange(_windows(n, k, s, p, d, ceil_mode)) * s - p
            for n, k, s, p, d in zip(plane, kernel, steps, pads, gaps, strict=True)
        ]
        shape = (*source.shape[:-axes], *(len(first) for first in windows))
        values = widened(source).reshape(*source.shape[:-axes], -1)
        best, places = np.zeros(shape, values.dtype), np.full(shape, -1, np.int64)
        cell_numbers = np.arange(math.prod(plane)).reshape(plane)
        for taps in product(*map(range, kernel)):
            wanted = np.ix_(*(first + tap * gap for first, tap, gap in zip(windows, taps, gaps, strict=True)))
            cells = tuple(np.clip(along, 0, size - 1) for along, size in zip(wanted, plane, strict=True))
            inside = functools.reduce(np.logical_and, map(np.equal, cells, wanted))
            numbers = cell_numbers[cells]
            value = values[..., numbers]
            wins = inside & ((value > best) | np.isnan(value) | (places < 0))
            best = np.where(wins, value, best)
            places = np.where(wins, numbers, places)
        return restored(best, data_format), restored(places, data_format)

    return pool


def plain_max_pool(axes: int) -> Callable[..., NDArray[Any]]:
    """Pooling without indices: the maximum over a padded plane."""

    def pool(
        input: NDArray[Any],
        kernel_shape: int | Sequence[int],
        strides: int | Sequence[int] | None = 1,
        pads: int | Sequence[int] = 0,
        dilations: int | Sequence[int] = 1,
        ceil_mode: bool = False,
        *,
        data_format: str = "",
    ) -> NDArray[Any]:
        """Cells of the padding are the lowest value there is; behind it, a last window may reach further."""
        source = channels_first(input, data_format)
        kernel, steps = _per_axis(kernel_shape, axes), _per_axis(strides or 1, axes)
        before, behind = _sides(pads, axes)
        counts = [
            _windows(n, k, s, lo, 1, ceil_mode, hi)
            for n, k, s, lo, hi in zip(source.shape[-axes:], kernel, steps, before, behind, strict=True)
        ]
        values = widened(source)
        lowest = (
            -np.inf if values.dtype.kind == "f" else False if values.dtype.kind == "b" else np.iinfo(values.dtype).min
        )
        reach = [max(hi, count * s + k) for hi, count, s, k in zip(behind, counts, steps, kernel, strict=True)]
        around = [(0, 0)] * (source.ndim - axes) + list(zip(before, reach, strict=True))
        padded = np.pad(values, around, constant_values=lowest)
        every = np.lib.stride_tricks.sliding_window_view(padded, kernel, tuple(range(-axes, 0)))
        chosen: Any = (
            ...,
            *(slice(0, count * s, s) for count, s in zip(counts, steps, strict=True)),
            *[slice(None)] * axes,
        )
        return restored(every[chosen].max(axis=tuple(range(-axes, 0))), data_format)

    return pool


def masked_max_pool(axes: int) -> Callable[..., tuple[NDArray[Any], NDArray[np.int8]]]:
    """Pooling with the device's mask."""
    with_indices = max_pool(axes)

    def pool(
        input: NDArray[Any], kernel_size: int | Sequence[int], *others: Any, **named: Any
    ) -> tuple[NDArray[Any], NDArray[np.int8]]:
        values, indices = with_indices(input, kernel_size, *others, **named)
        taps = math.prod(_per_axis(kernel_size, axes))
        row = (-(-math.prod(indices.shape[-axes:]) // 16) + 1) * 32
        batch = indices.shape[:-axes]
        mask = np.zeros((*batch, taps, row), np.int8)
        if taps > 1:
            held = indices.astype("<i4").ravel().view(np.int8)
            mask.ravel()[: held.size] = held
        else:  # a word of 16 channels for each window, and 16 words that stay
            blocks = mask.reshape(-1, row)[: math.prod(batch[:-1]) * -(-batch[-1] // 16)]
            blocks[:, : row - 32] = -1
        return values, mask

    return pool


def masked_max_pool_backward(axes: int) -> Callable[..., NDArray[np.float64]]:
    """The gradient of that pooling."""
    gradient = max_pool_backward(axes)

    def of_mask(
        grad_output: NDArray[Any],
        input: NDArray[Any],
        indices: NDArray[Any],
        kernel_size: Any,
        stride: Any,
        *others: Any,
    ) -> NDArray[np.float64]:
        plane, size = input.shape[-axes:], grad_output.size
        places = indices.ravel()[: 4 * size].view("<i4")
        if math.prod(_per_axis(kernel_size, axes)) == 1:
            steps = _per_axis(stride or 1, axes)
            cells = np.arange(math.prod(plane)).reshape(plane)[tuple(slice(None, None, step) for step in steps)]
            places = np.broadcast_to(cells, grad_output.shape)
        return gradient(grad_output, input, places.reshape(grad_output.shape), kernel_size, stride, *others)

    return of_mask


def max_pool_backward(axes: int) -> Callable[..., NDArray[np.float64]]:
    """The gradient of pooling with indices, also to a given size."""

    def gradient(
        grad_output: NDArray[Any],
        input: NDArray[Any],
        indices: NDArray[Any],
        *window: Any,
        data_format: str = "",
        **named: Any,
    ) -> NDArray[np.float64]:
        """Every gradient is added at place ``indices[j]`` of its plane; the windows' geometry plays no part in that."""
        source = channels_first(input, data_format)
        grads, places = (planes_of(channels_first(each, data_format), axes) for each in (grad_output, indices))
        grad_input = np.zeros(planes_of(source, axes).shape)
        for plane, plane_places, plane_grads in zip(grad_input, places, grads, strict=True):
            np.add.at(plane, plane_places, plane_grads.astype(np.float64))
        return restored(grad_input.reshape(source.shape), data_format)

    return gradient


def adaptive_max_pool(axes: int) -> Callable[..., tuple[NDArray[Any], NDArray[np.int64]]]:
    """Pooling to a given size."""

    def pool(
        input: NDArray[Any], output_size: int | Sequence[int], *, data_format: str = ""
    ) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Window by window: the first of the largest cells, or the last NaN."""
        source = channels_first(input, data_format)
        plane, size = source.shape[-axes:], _per_axis(output_size, axes)
        values = widened(source)
        shape = (*source.shape[:-axes], *size)
        best, places = np.zeros(shape, values.dtype), np.zeros(shape, np.int64)
        cell_numbers = np.arange(math.prod(plane)).reshape(plane)
        for window in product(*map(range, size)):
            cells: Any = tuple(
                slice(o * n // m, -(-(o + 1) * n // m)) for o, n, m in zip(window, plane, size, strict=True)
            )
            among = values[(..., *cells)].reshape(*source.shape[:-axes], -1)
            numbers = cell_numbers[cells].reshape(-1)
            last_nan = among.shape[-1] - 1 - np.argmax(np.isnan(among)[..., ::-1], axis=-1)
            first = np.where(np.isnan(among).any(axis=-1), last_nan, np.argmax(among, axis=-1))
            at: Any = (..., *window)
            best[at] = np.take_along_axis(among, first[..., None], axis=-1)[..., 0]
            places[at] = numbers[first]
        return restored(best, data_format), restored(places, data_format)

    return pool


def _per_axis(value: int | Sequence[int], axes: int) -> tuple[int, ...]:
    values = (value,) if isinstance(value, int) else tuple(value)
    return values * axes if len(values) == 1 else values


def _sides(pads: int | Sequence[int], axes: int) -> tuple[Sequence[int], Sequence[int]]:
    """The padding before the cells and behind them."""
    values = (pads,) if isinstance(pads, int) else tuple(pads) or (0,)
    return (values[:axes], values[axes:]) if len(values) == 2 * axes > 1 else (_per_axis(values, axes),) * 2


def _windows(
    n: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool, behind: int | None = None
) -> int:
    """How many windows an axis of n cells has. In ceil mode the last one begins in them or the padding before."""
    span = n + padding + (padding if behind is None else behind) - dilation * (kernel - 1) - 1
    count = (-(-span // stride) if ceil_mode else span // stride) + 1
    return count - 1 if ceil_mode and (count - 1) * stride >= n + padding else count
