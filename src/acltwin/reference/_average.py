"""Averages over windows and their gradients, from their definitions: each axis is a matrix of weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.reference._max_pool import _per_axis, _windows
from acltwin.reference._planes import channels_first, restored

Matrix = NDArray[np.float64]
Ints = int | Sequence[int]


def along_axes(tensor: NDArray[Any], matrices: Sequence[Matrix]) -> NDArray[np.float64]:
    """Each of the last axes times its matrix, which has a row for each cell of the result."""
    result = tensor.astype(np.float64)
    for axis, matrix in enumerate(matrices, tensor.ndim - len(matrices)):
        result = np.moveaxis(np.tensordot(matrix, result, (1, axis)), 0, axis)
    return result


def _sums(begins: Sequence[int], ends: Sequence[int], cells: int) -> Matrix:
    places = np.arange(cells)
    return np.array([(places >= b) & (places < e) for b, e in zip(begins, ends, strict=True)], np.float64)


def _window_matrices(
    plane: Sequence[int],
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Ints = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> list[Matrix]:
    """The divisor of a window is the product of its sizes along the axes, or one number for all."""
    kernels, pads = _per_axis(kernel_size, len(plane)), _per_axis(padding, len(plane))
    steps = kernels if stride is None or stride == () else _per_axis(stride, len(plane))
    matrices = []
    for n, kernel, step, pad in zip(plane, kernels, steps, pads, strict=True):
        begins = np.arange(_windows(n, kernel, step, pad, 1, ceil_mode)) * step - pad
        ends = np.minimum(begins + kernel, n + pad)
        sums = _sums(begins.tolist(), ends.tolist(), n)
        sizes = ends - begins if count_include_pad else np.maximum(sums.sum(1), 1)
        matrices.append(sums / sizes[:, None] if not divisor_override else sums)
    if divisor_override:
        matrices[0] = matrices[0] / divisor_override
    return matrices


def _adaptive_matrices(plane: Sequence[int], size: Sequence[int]) -> list[Matrix]:
    matrices = []
    for n, out in zip(plane, size, strict=True):
        sums = _sums([o * n // out for o in range(out)], [-(-(o + 1) * n // out) for o in range(out)], n)
        matrices.append(sums / sums.sum(1, keepdims=True))
    return matrices


def avg_pool(axes: int) -> Callable[..., NDArray[np.float64]]:
    """The pooling of tensors with so many spatial axes."""

    def pool(input: NDArray[Any], *window: Any, data_format: str = "", **named: Any) -> NDArray[np.float64]:
        source = channels_first(input, data_format)
        return restored(along_axes(source, _window_matrices(source.shape[-axes:], *window, **named)), data_format)

    return pool


def avg_pool_backward(axes: int) -> Callable[..., NDArray[np.float64]]:
    """The gradient of that pooling: the transposed matrices."""

    def gradient(
        grad_output: NDArray[Any], input: NDArray[Any], *window: Any, data_format: str = "", **named: Any
    ) -> NDArray[np.float64]:
        grad, source = channels_first(grad_output, data_format), channels_first(input, data_format)
        matrices = _window_matrices(source.shape[-axes:], *window, **named)
        return restored(along_axes(grad, [matrix.T for matrix in matrices]), data_format)

    return gradient


def adaptive_avg_pool(axes: int) -> Callable[..., NDArray[np.float64]]:
    """The pooling to a given size."""

    def pool(input: NDArray[Any], output_size: Ints, *, data_format: str = "") -> NDArray[np.float64]:
        source = channels_first(input, data_format)
        return restored(
            along_axes(source, _adaptive_matrices(source.shape[-axes:], _per_axis(output_size, axes))), data_format
        )

    return pool


def adaptive_avg_pool_backward(axes: int) -> Callable[..., NDArray[np.float64]]:
    """The gradient of that pooling."""

    def gradient(grad_output: NDArray[Any], input: NDArray[Any], *, data_format: str = "") -> NDArray[np.float64]:
        grad, source = channels_first(grad_output, data_format), channels_first(input, data_format)
        matrices = _adaptive_matrices(source.shape[-axes:], grad.shape[-axes:])
        return restored(along_axes(grad, [matrix.T for matrix in matrices]), data_format)

    return gradient
