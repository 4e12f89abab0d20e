"""The drop-in functions that pool, of every rank."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from acltwin.torch._drop_in import DropIn, cached, drop_ins, per_axis, spread
from acltwin.torch._layout import like
from acltwin.torch._plain import is_plain

Numbers = int | Sequence[int]
Sizes = int | Sequence[int | None]
_NO_STRIDE: tuple[Any, ...] = (None, (), [])
_CONTIGUOUS = torch.contiguous_format


def _fits(ceil_mode: bool, size: int, kernel: int, stride: int, padding: int, dilation: int = 1) -> bool:
    """Whether there are such windows along an axis. Those without a cell are refused here, PyTorch lets them pass."""
    return (
        kernel > 0
        and stride > 0
        and dilation > 0
        and 0 <= padding <= kernel // 2
        and dilation * (kernel - 1) < size + 2 * padding + (stride - 1 if ceil_mode else 0)
    )


@cached
def _window(
    sizes: Sequence[int], lift: int, ceil_mode: bool, kernel_size: Any, stride: Any, padding: Any, *dilation: Any
) -> list[tuple[int, ...]] | None:
    """Kernel size, stride, padding and dilation, if there is one, of the operator; None if that is for PyTorch."""
    axes = len(sizes) - lift
    strides = kernel_size if stride in _NO_STRIDE else stride
    window = [spread(value, axes) for value in (kernel_size, strides, padding, *dilation)]
    if any(len(values) != axes for values in window):
        return None
    if not all(_fits(ceil_mode, *along) for along in zip(sizes[lift:], *window, strict=True)):
        return None
    return [(outer,) * lift + values for outer, values in zip((1, 1, 0, 1), window, strict=False)]


def max_pool(
    operator: DropIn,
    input: Tensor,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Numbers = 0,
    dilation: Numbers = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    source = operator.source(input, may_be_cast=not return_indices)
    if not operator.takes(source):
        return None
    plain, sizes = is_plain((source,)), operator.plane(source)
    window = _window(plain, sizes, operator.lift, ceil_mode, kernel_size, stride, padding, dilation)
    if window is None:
        return None
    # Where nobody sees the indices, half the bytes are enough, and PyTorch has another kernel for rows.
    wide = return_indices or sizes.numel() >= 2**31
    by_rows = operator.lift and not return_indices and not (source.requires_grad and torch.is_grad_enabled())
    layout, index_dtype = _CONTIGUOUS if by_rows else None, "int64" if wide else "int32"
    results = operator.compute(plain, source, *window, ceil_mode, layout=layout, index_dtype=index_dtype)
    return results if return_indices else results[0]


def avg_pool(
    operator: DropIn,
    input: Tensor,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Numbers = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    source = operator.source(input)
    if not operator.takes(source) or divisor_override == 0 or (operator.lift and divisor_override is not None):
        return None
    plain, sizes = is_plain((source,)), operator.plane(source)
    window = _window(plain, sizes, operator.lift, ceil_mode, kernel_size, stride, padding)
    if window is None:
        return None
    if operator.axes == 3 and any(kernel > cells for kernel, cells in zip(window[0], sizes, strict=True)):
        return None  # only of volumes PyTorch rejects windows that only fit with padding
    return operator.compute(plain, source, *window, ceil_mode, count_include_pad, divisor_override)


def _adapted(operator: DropIn, source: Tensor, output_size: Any) -> tuple[Any, ...] | None:
    """The sizes of the result's planes; None if that is for PyTorch to judge."""
    wanted = per_axis(output_size, operator.axes)
    kept = output_size is None or (operator.lift and None in wanted)  # PyTorch does not know either
    if kept or not operator.takes(source) or len(wanted) != operator.axes:
        return None
    sizes = zip(source.shape[-operator.axes :], wanted, strict=True)
    target = (1,) * operator.lift + tuple(size if n is None else n for size, n in sizes)
    return target if all(isinstance(n, (int, torch.SymInt)) and n > 0 for n in target) else None


def adaptive_avg_pool(operator: DropIn, input: Tensor, output_size: Sizes) -> Any:
    source = operator.source(input)
    target = _adapted(operator, source, output_size)
    if target is None:
        return None
    layout = like(source) if max(target) == 1 else None  # PyTorch calls its mean
    return operator.compute(is_plain((source,)), source, target, layout=layout)


def adaptive_max_pool(operator: DropIn, input: Tensor, output_size: Sizes, return_indices: bool = False) -> Any:
    source = operator.source(input)
    target = _adapted(operator, source, output_size)
    if target is None:
        return None
    results = operator.compute(is_plain((source,)), source, target, index_dtype="int64")
    return results if return_indices else results[0]


@cached
def _unpooled(
    sizes: Sequence[int], lift: int, kernel_size: Any, stride: Any, padding: Any, output_size: Any
) -> tuple[Any, ...] | None:
    """The sizes of the unpooled planes; None if that is for PyTorch to judge."""
    axes = len(sizes) - lift
    window = [per_axis(value, axes) for value in (kernel_size, kernel_size if stride is None else stride, padding)]
    if any(len(values) != axes for values in window) or min(window[1]) <= 0:
        return None
    along = zip(sizes[lift:], *window, strict=True)
    usual = [(size - 1) * step + kernel - 2 * padding for size, kernel, step, padding in along]
    target = usual
    if output_size is not None:
        target = list(output_size)[-axes:] if len(output_size) in (axes, axes + 2) else []
    if len(target) != axes or any(abs(n - m) >= step for n, m, step in zip(target, usual, window[1], strict=True)):
        return None
    return (1,) * lift + tuple(target) if min(target) > 0 and math.prod(target) >= math.prod(sizes) else None


def max_unpool(
    operator: DropIn,
    input: Tensor,
    indices: Tensor,
    kernel_size: Numbers,
    stride: Numbers | None = None,
    padding: Numbers = 0,
    output_size: Sequence[int] | None = None,
) -> Any:
    source = operator.source(input)
    if (
        not operator.takes(source)
        or not indices.is_cpu
        or indices.dtype not in (torch.int64, torch.int32)
        or indices.shape != input.shape
    ):
        return None
    plain = is_plain((source, indices))
    target = _unpooled(plain, operator.plane(source), operator.lift, kernel_size, stride, padding, output_size)
    if target is None:
        return None
    if operator.lift:
        return operator.compute(plain, source, indices.unsqueeze(-2), target, layout=like(input.unsqueeze(-1)))
    return operator.compute(plain, source, indices, target)


max_pool1d, max_pool2d, max_pool3d = drop_ins(max_pool, "max_pool{}d_with_indices", "max_pool{}d")
max_unpool1d, max_unpool2d, max_unpool3d = drop_ins(max_unpool, "max_unpool{}d")
adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d = drop_ins(adaptive_max_pool, "adaptive_max_pool{}d")
avg_pool1d, avg_pool2d, avg_pool3d = drop_ins(avg_pool, "avg_pool{}d")
adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d = drop_ins(
    adaptive_avg_pool, "_adaptive_avg_pool{}d", "adaptive_avg_pool{}d"
)
