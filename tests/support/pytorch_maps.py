"""Which input cell PyTorch copies, read from its results; and the sizes where its two ways to compute it differ."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from support.lazy import torch
from support.values import Array

FUSES = pytest.mark.usefixtures("fusing_pytorch")


def _sources(inner: int, outer: int, fused: bool) -> Array:
    """nearest-exact from the sizes alone, with one rounding before the half is taken off again, or with none."""
    places = (np.arange(outer) + 0.5) * np.float64(np.float32(inner) / np.float32(outer))
    if fused:
        places = np.maximum((places - 0.5).astype(np.float32), 0).astype(np.float64) + 0.5
    return np.floor(places.astype(np.float32))


FUSED_PAIRS = [
    (inner, outer)
    for inner, outer in product((2, 4, 6), range(2, 700))
    if not np.array_equal(_sources(inner, outer, False), _sources(inner, outer, True))
]


def coordinates(size: int, channels: int, dtype: torch.dtype) -> torch.Tensor:
    """(1, channels, size): every cell's number, in digits that any dtype holds, in the first two channels."""
    cells = torch.arange(size)
    digits = [cells % 64, cells // 64, *[cells * 0] * (channels - 2)]
    return torch.stack(digits).to(dtype).reshape(1, channels, size)


def copied_cells(result: torch.Tensor, axis: int) -> list[int]:
    """For every cell along a spatial axis of the result the number of the cell that was copied."""
    first = result[0, :2].movedim(axis + 1, 1).reshape(2, result.shape[axis + 2], -1)[:, :, 0].to(torch.int64)
    cells: list[int] = (first[0] + 64 * first[1]).tolist()
    return cells
