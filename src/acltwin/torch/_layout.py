"""The strides of PyTorch's results, and layouts that it refuses.

Compiled programs rely on strides, so whatever stands in for an operator of PyTorch must give the same. They cannot be
asked of PyTorch's kernels for tensors without data: where an axis has one cell, and for unbatched volumes, those
disagree with the ones for the CPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from acltwin.torch._aten import Counterpart

_PLAIN, _LAST = torch.contiguous_format, torch.channels_last_3d
_FORMATS = {4: torch.channels_last, 5: _LAST}


def _has_one_layout(tensor: Tensor, axes: int) -> bool:
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


def is_laid_out_alike(tensor: Tensor, axes: int) -> bool:
    """Whether PyTorch takes such a tensor, and lays out what it computes of it as our operators do."""
    if _has_one_layout(tensor, axes):
        return True
    if tensor.dim() == axes + 1:
        return not _looks_channels_last(tensor)
    last = not tensor.is_contiguous() and tensor.movedim(1, -1).is_contiguous()
    return last == _looks_channels_last(tensor)


def _is_unbatched_pooling(counterpart: Counterpart, arguments: Sequence[Any]) -> bool:
    return counterpart.spec.family == "pool" and arguments[0].dim() == len(counterpart.spec.axes) + 1


def _floats(counterpart: Counterpart, arguments: Sequence[Any]) -> list[Tensor]:
    """The tensors whose layout counts: all but indices."""
    inputs = zip(counterpart.spec.parameters, counterpart.tensors, strict=False)
    return [arguments[place] for argument, place in inputs if argument.holds != "indices"]


def is_refused(counterpart: Counterpart, arguments: Sequence[Any]) -> bool:
    """PyTorch takes an unbatched volume that is laid out like channels-last images for such images, and gives up."""
    return _is_unbatched_pooling(counterpart, arguments) and any(
        not is_laid_out_alike(tensor, 3) for tensor in _floats(counterpart, arguments)
    )


def _format(counterpart: Counterpart, arguments: Sequence[Any]) -> torch.memory_format:
    """How PyTorch lays out the results: like what is upsampled or was pooled, or contiguous."""
    spec = counterpart.spec
    if spec.family == "unpool" or (spec.family == "upsample" and spec.is_gradient and len(spec.axes) == 3):
        return _PLAIN
    if _is_unbatched_pooling(counterpart, arguments):
        batch = arguments[0].unsqueeze(0)
        return _LAST if not batch.is_contiguous() and batch.is_contiguous(memory_format=_LAST) else _PLAIN
    tensor = _floats(counterpart, arguments)[-1]
    return _FORMATS[tensor.dim()] if _looks_channels_last(tensor) else _PLAIN


@lru_cache(maxsize=1024)
def _strides(shape: torch.Size, layout: torch.memory_format) -> tuple[int, ...]:
    if layout is _LAST and len(shape) == 4:
        return _strides(torch.Size((1, *shape)), layout)[1:]
    return torch.empty(shape, memory_format=layout, device="meta").stride()


def _laid_out(result: Tensor, layout: torch.memory_format) -> Tensor:
    stride = _strides(result.shape, layout)
    if result.stride() == stride:
        return result
    return torch.empty_strided(result.shape, stride, dtype=result.dtype).copy_(result)


def as_pytorch_lays_out(counterpart: Counterpart, results: Any, arguments: Sequence[Any]) -> Any:
    """The results of our kernel with the strides of PyTorch's."""
    axes = len(counterpart.spec.axes)
    if all(_has_one_layout(tensor, axes) for tensor in _floats(counterpart, arguments)):
        return results  # contiguous as well
    layout = _format(counterpart, arguments)
    if isinstance(results, Tensor):
        return _laid_out(results, layout)
    return tuple(_laid_out(result, layout) for result in results)
