"""Layers of ``torch.nn`` whose forward pass is the drop-in function. State, text and pickles are PyTorch's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from acltwin.torch.functional import interpolate, max_pool3d, max_unpool3d


class Upsample(torch.nn.Upsample):
    """``torch.nn.Upsample``, faster for ``mode="nearest"`` and ``"nearest-exact"`` on the CPU."""

    def forward(self, input: Tensor) -> Any:
        return interpolate(
            input, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor
        )


class MaxPool3d(torch.nn.MaxPool3d):
    """``torch.nn.MaxPool3d``, faster on the CPU."""

    def forward(self, input: Tensor) -> Any:
        window = (self.kernel_size, self.stride, self.padding, self.dilation)
        return max_pool3d(input, *window, self.ceil_mode, self.return_indices)


class MaxUnpool3d(torch.nn.MaxUnpool3d):
    """``torch.nn.MaxUnpool3d``, faster on the CPU."""

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Any:
        return max_unpool3d(input, indices, self.kernel_size, self.stride, self.padding, output_size)
