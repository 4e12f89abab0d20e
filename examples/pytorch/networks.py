"""Small 3-D networks of the usual kinds, to see which share of their time lies in pooling and upsampling.

python -m acltwin.torch.profile examples/pytorch/networks.py:unet --shape 1,1,48,48,48
"""

from __future__ import annotations

import torch
import torch.nn.functional as functional
from torch import Tensor, nn


def _block(before: int, after: int) -> nn.Sequential:
    """Two convolutions, as most of these networks have them at each size."""
    return nn.Sequential(
        nn.Conv3d(before, after, 3, padding=1, bias=False),
        nn.BatchNorm3d(after),
        nn.ReLU(),
        nn.Conv3d(after, after, 3, padding=1, bias=False),
        nn.BatchNorm3d(after),
        nn.ReLU(),
    )


class UNet(nn.Module):
    """Down by pooling, up by nearest upsampling, with what was there on the way down put beside."""

    def __init__(self, channels: int = 16, depth: int = 3, classes: int = 2) -> None:
        super().__init__()
        widths = [channels * 2**level for level in range(depth + 1)]
        self.down = nn.ModuleList(_block(before, after) for before, after in zip([1, *widths], widths, strict=False))
        self.up = nn.ModuleList(_block(3 * width, width) for width in reversed(widths[:-1]))
        self.last = nn.Conv3d(channels, classes, 1)

    def forward(self, volume: Tensor) -> Tensor:
        kept: list[Tensor] = []
        for number, block in enumerate(self.down):
            volume = block(functional.max_pool3d(volume, 2) if number else volume)
            kept.append(volume)
        kept.pop()
        for block in self.up:
            beside = kept.pop()
            volume = block(torch.cat([functional.interpolate(volume, size=beside.shape[2:]), beside], 1))
        result: Tensor = self.last(volume)
        return result


class SegNet(nn.Module):
    """Down by pooling, up by unpooling: each maximum returns to its place."""

    def __init__(self, channels: int = 16, depth: int = 3, classes: int = 2) -> None:
        super().__init__()
        widths = [channels * 2**level for level in range(depth)]
        self.down = nn.ModuleList(_block(before, after) for before, after in zip([1, *widths], widths, strict=False))
        self.up = nn.ModuleList(
            _block(before, after) for before, after in zip(widths[::-1], [*widths[-2::-1], channels], strict=True)
        )
        self.last = nn.Conv3d(channels, classes, 1)

    def forward(self, volume: Tensor) -> Tensor:
        places = []
        for block in self.down:
            volume = block(volume)
            shape = volume.shape
            volume, indices = functional.max_pool3d(volume, 2, return_indices=True)
            places.append((indices, shape))
        for block in self.up:
            indices, shape = places.pop()
            volume = block(functional.max_unpool3d(volume, indices, 2, output_size=shape))
        result: Tensor = self.last(volume)
        return result


class Classifier(nn.Module):
    """Convolutions and overlapping pooling, as in networks for videos and scans."""

    def __init__(self, channels: int = 16, depth: int = 4, classes: int = 10) -> None:
        super().__init__()
        widths = [channels * 2**level for level in range(depth)]
        self.blocks = nn.ModuleList(_block(before, after) for before, after in zip([1, *widths], widths, strict=False))
        self.last = nn.Linear(widths[-1], classes)

    def forward(self, volume: Tensor) -> Tensor:
        for block in self.blocks:
            volume = functional.max_pool3d(block(volume), 3, stride=2, padding=1)
        result: Tensor = self.last(volume.mean((2, 3, 4)))
        return result


unet, segnet, classifier = UNet, SegNet, Classifier
