"""What a result looks like, without computing it: shape, dtype and strides, for tracing and compiling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from acltwin.torch._define import LIBRARY, OPERATORS


def _like(source: Tensor, shape: Sequence[int], channel: int, dtype: torch.dtype | None = None) -> Tensor:
    """Channels-last if the source is a dense channels-last tensor, else contiguous, as the operators' results are."""
    dtype = dtype or source.dtype
    if source.is_contiguous() or not source.movedim(channel, -1).is_contiguous():
        return source.new_empty(shape, dtype=dtype)
    in_memory = [*shape[:channel], *shape[channel + 1 :], shape[channel]]
    return source.new_empty(in_memory, dtype=dtype).movedim(-1, channel)


def upsample(input: Tensor, output_size: Sequence[int], *_: Any, **__: Any) -> Tensor:
    return _like(input, (*input.shape[:2], *output_size), channel=1)


def upsample_backward(grad_out: Tensor, _: Sequence[int], input_size: Sequence[int], *__: Any, **___: Any) -> Tensor:
    return _like(grad_out, input_size, channel=1)


def max_unpool3d(input: Tensor, indices: Tensor, output_size: Sequence[int], *_: Any) -> Tensor:
    return input.new_empty((*input.shape[:-3], *output_size))


def max_unpool3d_backward(grad_output: Tensor, input: Tensor, *_: Any) -> Tensor:
    return grad_output.new_empty(input.shape)


def _windows(size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> int:
    """How many windows there are along one axis; the last one must begin inside of the tensor or its left padding."""
    last_start = size + 2 * padding - dilation * (kernel - 1) - 1
    if not ceil_mode:
        return last_start // stride + 1
    count = (last_start + stride - 1) // stride + 1
    return count - 1 if (count - 1) * stride >= size + padding else count


def max_pool3d_with_argmax(
    input: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
    *,
    index_dtype: str = "int32",
) -> tuple[Tensor, Tensor]:
    axes = zip(input.shape[-3:], kernel_size, stride or kernel_size, padding, dilation, strict=True)
    shape = (*input.shape[:-3], *(_windows(*axis, ceil_mode) for axis in axes))
    channel = input.dim() - 4
    return _like(input, shape, channel), _like(input, shape, channel, getattr(torch, index_dtype))


def max_pool3d_with_argmax_backward(grad_output: Tensor, input: Tensor, *_: Any) -> Tensor:
    return _like(grad_output, input.shape, channel=input.dim() - 4)


def fake_of(name: str) -> Any:
    if name.startswith("upsample"):
        return upsample_backward if name.endswith("_backward") else upsample
    return globals()[name]


for _name in OPERATORS:
    torch.library.register_fake(f"acltwin::{_name}", fake_of(_name), lib=LIBRARY)
