"""The unpooling gradient copies elements: bit for bit what PyTorch's autograd, or a gather, gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acltwin import reference
from support.cases import DTYPES, UNPOOL, name_of, unpool
from support.lazy import torch
from support.libraries import to_numpy, to_torch
from support.values import FLOATS, assert_same_bits, bits, random_bits

SIGNED = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}


def sizes(rng: np.random.Generator) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Batch (4-D tensors have no C), the gradient's plane, the result's plane, which is never larger."""
    batch = tuple(int(n) for n in rng.integers(1, 5, int(rng.integers(1, 3))))
    outer = tuple(int(n) for n in rng.integers(1, 12, 3))
    inner = tuple(int(rng.integers(1, n, endpoint=True)) for n in outer)
    return batch, outer, inner


@pytest.mark.parametrize("index_dtype", [np.int64, np.int32])
@pytest.mark.parametrize("dtype", DTYPES[UNPOOL], ids=name_of)
def test_every_element_is_fetched_with_all_its_bits(
    dtype: np.dtype[Any], index_dtype: type, rng: np.random.Generator
) -> None:
    for _ in range(300):
        batch, outer, inner = sizes(rng)
        case = unpool(rng, dtype, outer, inner, batch, index_dtype, random_bits)
        result = case.run()
        # PyTorch gathers whole numbers, because its half-precision copies change some NaNs.
        patterns = torch.from_numpy(bits(case.tensors[0]).view(SIGNED[dtype.itemsize]))
        indices = torch.from_numpy(case.tensors[2]).long()
        expected = torch.gather(patterns.flatten(-3), -1, indices.flatten(-3)).reshape(indices.shape)
        assert_same_bits(result, expected.numpy().view(dtype), case.parameters)


@pytest.mark.parametrize("dtype", FLOATS, ids=name_of)
def test_it_is_the_gradient_of_pytorchs_unpooling(dtype: np.dtype[Any], rng: np.random.Generator) -> None:
    for _ in range(100):
        _, outer, _ = sizes(rng)
        plane = tuple(2 * n for n in outer)
        values = torch.from_numpy(rng.standard_normal((2, 3, *plane)).astype(np.float32))
        pooled, indices = torch.nn.functional.max_pool3d(values, 2, return_indices=True)
        pooled = pooled.to(to_torch(np.zeros(1, dtype)).dtype).requires_grad_()
        case = unpool(rng, dtype, plane, outer).with_tensor(2, indices.numpy())
        unpooled = torch.nn.functional.max_unpool3d(pooled, indices, (2, 2, 2))
        (gradient,) = torch.autograd.grad(unpooled, pooled, to_torch(case.tensors[0]))
        assert_same_bits(case.run(), to_numpy(gradient))


def test_the_reference_agrees(rng: np.random.Generator) -> None:
    for dtype in DTYPES[UNPOOL]:
        case = unpool(rng, dtype, (4, 5, 6), (2, 3, 4))
        expected = reference.max_unpool3d_backward(*case.tensors, *case.parameters)
        assert np.array_equal(case.run(), expected.astype(dtype))
