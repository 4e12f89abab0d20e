"""Adaptive max pooling as PyTorch computes it: values, indices and gradients, for random sizes, ties and NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin.ops import OPERATORS
from support.lazy import torch

FORWARD = [name for name, spec in OPERATORS.items() if spec.family == "adaptive_pool" and not spec.is_gradient]


def random_call(rng: np.random.Generator, axes: int, dtype: torch.dtype) -> tuple[torch.Tensor, tuple[int, ...]]:
    """Few different values, so that many are equal; some NaN; sizes that divide, do not divide, and grow."""
    plane = [int(n) for n in rng.integers(1, 9 if axes == 3 else 14, axes)]
    size = tuple(int(rng.integers(1, n + 4)) if rng.random() < 0.7 else int(rng.choice([1, n])) for n in plane)
    cells = rng.integers(-3, 4, (*rng.integers(1, 4, int(rng.integers(1, 3))), *plane)).astype(np.float64)
    if rng.random() < 0.3:
        cells[rng.random(cells.shape) < 0.1] = np.nan
    if rng.random() < 0.2:
        cells[rng.random(cells.shape) < 0.5] = -np.inf
    return torch.from_numpy(cells).to(dtype), size


def pytorch(name: str) -> Any:
    return getattr(torch.ops.aten, OPERATORS[name].aten).default


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("name", FORWARD)
def test_as_pytorch(name: str, dtype: str) -> None:
    seed = int(np.random.default_rng().integers(2**31))
    print("seed", seed)
    rng, spec = np.random.default_rng(seed), OPERATORS[name]
    for _ in range(60):
        source, size = random_call(rng, len(spec.axes), getattr(torch, dtype))
        out, indices = getattr(acltwin, name)(source, size, index_dtype="int64")
        expected, places = pytorch(name)(source, size)
        torch.testing.assert_close(out, expected, rtol=0, atol=0, equal_nan=True)
        assert torch.equal(indices, places), (source.shape, size)
        gradient = torch.from_numpy(rng.integers(-8, 9, out.shape)).to(source.dtype)  # whose sums are exact
        actual = getattr(acltwin, spec.partner)(gradient, source, indices)
        wanted = pytorch(spec.partner)(gradient.double(), source.double(), places).to(source.dtype)
        torch.testing.assert_close(actual, wanted, rtol=0, atol=0)


@pytest.mark.parametrize("name", FORWARD)
def test_one_size_serves_all_axes(name: str) -> None:
    axes = len(OPERATORS[name].axes)
    source = np.random.default_rng(1).standard_normal((2, 3, *(5, 7, 6)[-axes:])).astype(np.float32)
    function = getattr(acltwin, name)
    for one, all_axes in zip(function(source, 3), function(source, (3,) * axes), strict=True):
        assert np.array_equal(one, all_axes)
