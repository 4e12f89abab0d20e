"""The strides of PyTorch's results, and layouts that it refuses.

Compiled programs rely on strides, so whatever stands in for an operator of PyTorch must give the same. They cannot be
asked of PyTorch's kernels for tensors without data: where an axis has one cell, and for unbatched volumes, those
disagree with the ones for the CPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from acltwin.ops import OpSpec
from acltwin.torch._aten import Counterpart

_PLAIN, _LAST = torch.contiguous_format, torch.channels_last_3d
_FORMATS = {4: torch.channels_last, 5: _LAST}


def has_one_layout(tensor: Tensor, axes: int) -> bool:
    """Whether it is contiguous and nothing else. Where an axis has one cell, it can be channels-last besides."""
    return tensor.is_contiguous() and 1 not in tensor.shape[-axes - 1 :]


def _looks_channels_last(tensor: Tensor) -> bool:
    """Whether PyTorch's kernels take a tensor for channels-last: by its strides alone, dense or not.

    From C to W, H, D and N, each axis steps over all cells of the ones before. A step of 0 over C is none, and where N
    steps as C does, no other axis has a second cell: that is contiguous.
    """
    if tensor.dim() not in _FORMATS or not tensor.numel() or not tensor.stride(1):
        return False
    cells = 0
    for axis in (1, *range(tensor.dim() - 1, 1, -1), 0):
        step = tensor.stride(axis)
        if step < cells or (axis == 0 and cells == tensor.stride(1)):
            return False
        cells = step * tensor.shape[axis]
    return True


def is_always_contiguous(spec: OpSpec) -> bool:
    """Whether PyTorch's results of such an operator are contiguous, whatever it is called with."""
    if spec.family in ("unpool", "average", "adaptive_pool") or (spec.family == "upsample" and spec.is_gradient):
        return len(spec.axes) == 3
    return spec.mode == "bicubic" and spec.is_gradient


def is_refused(spec: OpSpec, tensor: Tensor) -> bool:
    """PyTorch takes an unbatched volume that is laid out like channels-last images for such images, and gives up."""
    return spec.family == "pool" and tensor.dim() == len(spec.axes) + 1 and _looks_channels_last(tensor)


def format_of(spec: OpSpec, *tensors: Tensor) -> torch.memory_format:
    """How PyTorch lays out an operator's results: like the last of its tensors, or contiguous. Of one volume without a
    batch that is pooled, the first one matters."""
    if is_always_contiguous(spec):
        return _PLAIN
    first, axes = tensors[0], len(spec.axes)
    if spec.family == "pool" and first.dim() == axes + 1 == 4:
        batch = first.unsqueeze(0)
        return _LAST if not batch.is_contiguous() and batch.is_contiguous(memory_format=_LAST) else _PLAIN
    return like(tensors[-1]) if first.dim() == axes + 2 else _PLAIN


def like(tensor: Tensor) -> torch.memory_format:
    """How PyTorch lays out what it makes after the likeness of a tensor."""
    return _FORMATS[tensor.dim()] if _looks_channels_last(tensor) else _PLAIN


def _strides(shape: Sequence[int], layout: torch.memory_format) -> tuple[int, ...]:
    """Those of a new tensor, where an axis of one cell has some as well."""
    channel = None if layout is _PLAIN else 0 if layout is _LAST and len(shape) == 4 else 1
    order = [axis for axis in reversed(range(len(shape))) if axis != channel]
    strides, step = [0] * len(shape), 1
    for axis in order if channel is None else (channel, *order):
        strides[axis] = step
        step *= shape[axis]
    return tuple(strides)


def laid_out(result: Tensor, layout: torch.memory_format) -> Tensor:
    """The result with the strides of a new tensor in that layout."""
    if result.stride() == _strides(result.shape, layout):
        return result
    if layout is _LAST and result.dim() == 4:
        return result.unsqueeze(0).clone(memory_format=layout).squeeze(0)
    return result.clone(memory_format=layout)


def floats_of(counterpart: Counterpart, arguments: Sequence[Any]) -> list[Tensor]:
    """The tensors whose layout counts: all but indices."""
    inputs = zip(counterpart.spec.parameters, counterpart.tensors, strict=False)
    return [arguments[place] for argument, place in inputs if argument.holds != "indices"]


def as_pytorch_lays_out(counterpart: Counterpart, results: Any, arguments: Sequence[Any]) -> Any:
    """The results of our kernel with the strides of PyTorch's."""
    axes, tensors = len(counterpart.spec.axes), floats_of(counterpart, arguments)
    if all(has_one_layout(tensor, axes) for tensor in tensors):
        return results  # contiguous as well
    layout = format_of(counterpart.spec, *tensors)
    if isinstance(results, Tensor):
        return laid_out(results, layout)
    return tuple(laid_out(result, layout) for result in results)
