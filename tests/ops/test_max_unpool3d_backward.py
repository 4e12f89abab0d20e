"""max_unpool3d_backward: every element fetches its gradient, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acltwin import max_unpool3d_backward, reference
from support.lazy import functional, torch
from support.values import BFLOAT16, assert_same_bits, random_bits

DTYPES = [
    BFLOAT16,
    *map(np.dtype, ("float32", "float16", "float64", "int8", "uint8", "int16", "int32", "int64")),
]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
@pytest.mark.parametrize("batch", [(2, 3), (5,)], ids=["5-D", "4-D"])
def test_any_bits_are_fetched_as_they_are(
    dtype: np.dtype[Any], index_dtype: type, batch: tuple[int, ...], rng: np.random.Generator
) -> None:
    grad_output = random_bits(rng, (*batch, 4, 5, 6), dtype)
    indices = rng.integers(0, 120, (*batch, 2, 3, 4)).astype(index_dtype)
    result = max_unpool3d_backward(grad_output, np.zeros(indices.shape, dtype), indices, (4, 5, 6), 2, 0)
    planes = grad_output.reshape(-1, 120)
    expected = np.stack([planes[p, places] for p, places in enumerate(indices.reshape(len(planes), -1))])
    assert_same_bits(result, expected.reshape(indices.shape))


def test_the_reference_agrees(rng: np.random.Generator) -> None:
    grad_output = rng.standard_normal((2, 3, 4, 5, 6))
    indices = rng.integers(0, 120, (2, 3, 2, 2, 2))
    call = (grad_output, np.zeros(indices.shape), indices, (4, 5, 6), (2, 2, 2), (0, 0, 0))
    assert np.array_equal(max_unpool3d_backward(*call), reference.max_unpool3d_backward(*call))


def test_it_is_the_gradient_of_pytorchs_unpooling(rng: np.random.Generator) -> None:
    image = torch.from_numpy(rng.standard_normal((2, 3, 4, 6, 8)).astype(np.float32))
    pooled, indices = functional.max_pool3d(image, 2, return_indices=True)
    pooled.requires_grad_()
    unpooled = functional.max_unpool3d(pooled, indices, 2)
    grad_output = torch.from_numpy(rng.standard_normal(unpooled.shape).astype(np.float32))
    unpooled.backward(grad_output)
    result = max_unpool3d_backward(grad_output, pooled.detach(), indices, (4, 6, 8), 2, 0)
    assert torch.equal(result, pooled.grad)


@pytest.mark.parametrize("index", [-1, 24, 2**40, -(2**63)])
def test_an_index_outside_its_plane_is_named(index: int) -> None:
    grad_output, indices = np.zeros((2, 3, 2, 3, 4), np.float32), np.zeros((2, 3, 1, 1, 2), np.int64)
    indices[1, 2, 0, 0, 1] = index
    with pytest.raises(IndexError, match=r"\[1, 2, 0, 0, 1\]") as caught:
        max_unpool3d_backward(grad_output, np.zeros(indices.shape, np.float32), indices, (2, 3, 4), 2, 0)
    assert str(index) in str(caught.value)


def test_the_values_of_input_stride_and_padding_do_not_matter() -> None:
    grad_output = np.arange(8, dtype=np.int32).reshape(1, 2, 2, 2)
    indices = np.array([5, 0, 7]).reshape(1, 1, 1, 3)
    for stride, padding, fill in ((1, 0, 0), ((9, 8, 7), (-3, 100, 0), 123)):
        result = max_unpool3d_backward(
            grad_output, np.full(indices.shape, fill, np.int32), indices, (2, 2, 2), stride, padding
        )
        assert result.ravel().tolist() == [5, 0, 7]
