"""Which scales the forward pass of PyTorch's nearest mode heeds; its gradient heeds the same ones, or fewer.

Some of its kernels ignore a scale where the output is as large as the input, or twice as large. Which kernel it
takes depends on the memory layout, the channels and, for images, on the size of the output.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

_CHANNELS_LAST = {2: torch.channels_last, 3: torch.channels_last_3d}
_SMALL_IMAGE = 128  # H + W of the output


def heeded(input: Tensor, output_size: Sequence[int], scales: Sequence[float | None]) -> Sequence[float | None]:
    """The scales with None for those that are ignored."""
    axes = len(output_size)
    if not any(scales) or input.dim() != axes + 2 or axes not in _CHANNELS_LAST:
        return scales  # none to ignore, or wrong, which the array function tells
    small = axes == 2 and sum(output_size) <= _SMALL_IMAGE
    if not (small or (input.shape[1] > 3 and input.is_contiguous(memory_format=_CHANNELS_LAST[axes]))):
        return scales
    each = zip(scales, input.shape[2:], output_size, strict=False)
    return [None if after in (before, 2 * before) else scale for scale, before, after in each]
