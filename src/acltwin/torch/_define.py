"""The operators in PyTorch's registry: their schemas, and what they do on CPU tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

import acltwin
from acltwin.ops._arrays import MapRule

Kernel = Callable[..., Any]

LIBRARY = torch.library.Library("acltwin", "DEF")


def without_history(tensor: Tensor) -> Tensor:
    """Autograd has done its part when a kernel runs; the array functions refuse tensors that still record."""
    return tensor.detach() if tensor.requires_grad else tensor


def _upsample(function: Kernel) -> Kernel:
    def kernel(tensor: Tensor, *arguments: Any, rule: str = "torch") -> Any:
        return function(without_history(tensor), *arguments, rule=rule)

    return kernel


def _heeded(
    scales: Sequence[float | None], input: Tensor, output_size: Sequence[int], layout: torch.memory_format
) -> Sequence[float | None]:
    """The scales that the forward pass of PyTorch's nearest mode heeds; its gradient heeds the same ones, or fewer.

    Some of its kernels ignore a scale where the output is as large as the input, or twice as large. Which kernel it
    takes depends on the memory layout, the channels and, for images, on the size of the output.
    """
    small = len(output_size) == 2 and sum(output_size) <= 128
    if not any(scales) or not (small or (input.shape[1] > 3 and input.is_contiguous(memory_format=layout))):
        return scales
    axes = zip(scales, input.shape[2:], output_size, strict=False)  # what is missing, the array function tells
    return [None if after in (before, 2 * before) else scale for scale, before, after in axes]


def _upsample_nearest3d(
    input: Tensor, output_size: Sequence[int], *scales: float | None, rule: MapRule = "torch"
) -> Tensor:
    if rule == "torch" and input.dim() == 5:
        scales = tuple(_heeded(scales, input, output_size, torch.channels_last_3d))
    return acltwin.upsample_nearest3d(without_history(input), output_size, *scales, rule=rule)


# Images are volumes of depth 1. PyTorch's rule looks at each axis alone, so the depth has no say in the other two.


def _upsample_nearest2d(input: Tensor, output_size: Sequence[int], *scales: float | None) -> Tensor:
    volume = without_history(input).unsqueeze(2)
    heeded = _heeded(scales, input, output_size, torch.channels_last)
    return acltwin.upsample_nearest3d(volume, (1, *output_size), None, *heeded, rule="torch").squeeze(2)


def _upsample_nearest2d_backward(
    grad_output: Tensor, output_size: Sequence[int], input_size: Sequence[int], *scales: float | None
) -> Tensor:
    volume = without_history(grad_output).unsqueeze(2)
    volume_size = (*input_size[:2], 1, *input_size[2:])
    return acltwin.upsample_nearest3d_backward(
        volume, (1, *output_size), volume_size, None, *scales, rule="torch"
    ).squeeze(2)


def _max_unpool3d(input: Tensor, indices: Tensor, *sizes: Sequence[int]) -> Tensor:
    return acltwin.max_unpool3d(without_history(input), indices, *sizes)


def _max_pool3d_with_argmax(input: Tensor, *window: Any, index_dtype: Any = "int32") -> tuple[Tensor, Tensor]:
    return acltwin.max_pool3d_with_argmax(without_history(input), *window, index_dtype=index_dtype)


def _indexed_backward(function: Kernel) -> Kernel:
    def kernel(grad_output: Tensor, input: Tensor, indices: Tensor, *arguments: Any) -> Any:
        return function(without_history(grad_output), without_history(input), indices, *arguments)

    return kernel


_SCALES = {
    2: "float? scales_h=None, float? scales_w=None",
    3: "float? scales_d=None, float? scales_h=None, float? scales_w=None",
}
_RULE = "*, str rule='torch'"
_WINDOW = "int[3] kernel_size, int[3] stride, int[3] padding, int[3] dilation, bool ceil_mode"
_UNPOOL = "SymInt[3] output_size, int[3] stride, int[3] padding"


def _forward(axes: int) -> str:
    return f"Tensor input, SymInt[{axes}] output_size, {_SCALES[axes]}"


def _backward(axes: int, gradient: str = "grad_output") -> str:
    return f"Tensor {gradient}, SymInt[{axes}] output_size, SymInt[{axes + 2}] input_size, {_SCALES[axes]}"


# The arguments of the array functions, in their order. `rule` alone has another default: PyTorch's.
OPERATORS: dict[str, tuple[str, Kernel]] = {
    "upsample_nearest2d": (_forward(2), _upsample_nearest2d),
    "upsample_nearest2d_backward": (_backward(2), _upsample_nearest2d_backward),
    "upsample_nearest3d": (f"{_forward(3)}, {_RULE}", _upsample_nearest3d),
    "upsample_nearest3d_backward": (
        f"{_backward(3, 'grad_out')}, {_RULE}",
        _upsample(acltwin.upsample_nearest3d_backward),
    ),
    "upsample_nearest_exact2d": (f"{_forward(2)}, {_RULE}", _upsample(acltwin.upsample_nearest_exact2d)),
    "upsample_nearest_exact2d_backward": (
        f"{_backward(2)}, {_RULE}",
        _upsample(acltwin.upsample_nearest_exact2d_backward),
    ),
    "upsample_nearest_exact3d": (f"{_forward(3)}, {_RULE}", _upsample(acltwin.upsample_nearest_exact3d)),
    "upsample_nearest_exact3d_backward": (
        f"{_backward(3, 'grad_out')}, {_RULE}",
        _upsample(acltwin.upsample_nearest_exact3d_backward),
    ),
    "max_unpool3d": (f"Tensor input, Tensor indices, {_UNPOOL}", _max_unpool3d),
    "max_unpool3d_backward": (
        f"Tensor grad_output, Tensor input, Tensor indices, {_UNPOOL}",
        _indexed_backward(acltwin.max_unpool3d_backward),
    ),
    "max_pool3d_with_argmax": (f"Tensor input, {_WINDOW}, *, str index_dtype='int32'", _max_pool3d_with_argmax),
    "max_pool3d_with_argmax_backward": (
        f"Tensor grad_output, Tensor input, Tensor indices, {_WINDOW}",
        _indexed_backward(acltwin.max_pool3d_with_argmax_backward),
    ),
}


def _define(name: str, arguments: str, kernel: Kernel) -> None:
    results = "(Tensor, Tensor)" if name == "max_pool3d_with_argmax" else "Tensor"
    LIBRARY.define(f"{name}({arguments}) -> {results}", tags=(torch.Tag.pt2_compliant_tag,))
    LIBRARY.impl(name, kernel, "CPU")


for _name, (_arguments, _kernel) in OPERATORS.items():
    _define(_name, _arguments, _kernel)
