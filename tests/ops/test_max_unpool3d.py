"""max_unpool3d: every element goes where its index says, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acltwin import max_unpool3d, reference
from support.lazy import functional, torch
from support.libraries import to_numpy, to_torch
from support.values import BFLOAT16, assert_same_bits, random_array, random_bits

FLOATS = [BFLOAT16, *map(np.dtype, ("float32", "float16", "float64"))]
DTYPES = [*FLOATS, *map(np.dtype, ("int8", "uint8", "int16", "int32", "int64"))]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
@pytest.mark.parametrize("batch", [(2, 3), (5,)], ids=["5-D", "4-D"])
def test_any_bits_go_to_their_places_and_the_last_one_stays(
    dtype: np.dtype[Any], index_dtype: type, batch: tuple[int, ...], rng: np.random.Generator
) -> None:
    pooled = random_bits(rng, (*batch, 2, 3, 4), dtype)
    indices = rng.integers(0, 120, pooled.shape).astype(index_dtype)
    expected = np.zeros((*batch, 120), dtype)
    for plane in np.ndindex(batch):
        for value, place in zip(pooled[plane].ravel(), indices[plane].ravel(), strict=True):
            expected[plane][place] = value
    assert_same_bits(max_unpool3d(pooled, indices, (4, 5, 6), 2, 0), expected.reshape(*batch, 4, 5, 6))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_pytorch_agrees(dtype: np.dtype[Any], rng: np.random.Generator) -> None:
    for batch in ((2, 3), (3,)):
        image = torch.from_numpy(rng.standard_normal((*batch, 4, 6, 8)).astype(np.float32))
        _, indices = functional.max_pool3d(image, 2, return_indices=True)
        pooled = to_torch(random_array(rng, tuple(indices.shape), dtype))
        theirs = functional.max_unpool3d(pooled, indices, 2)
        assert_same_bits(to_numpy(max_unpool3d(pooled, indices, (4, 6, 8), 2, 0)), to_numpy(theirs))


def test_the_reference_agrees(rng: np.random.Generator) -> None:
    pooled, indices = rng.standard_normal((2, 3, 2, 2, 2)), rng.integers(0, 120, (2, 3, 2, 2, 2))
    call = (pooled, indices, (4, 5, 6), (2, 2, 2), (0, 0, 0))
    assert np.array_equal(max_unpool3d(*call), reference.max_unpool3d(*call))


def test_out_is_cleared_first() -> None:
    pooled, indices = np.array([5], np.int8).reshape(1, 1, 1, 1), np.array([2]).reshape(1, 1, 1, 1)
    out = np.full((1, 1, 1, 4), 9, np.int8)
    assert max_unpool3d(pooled, indices, (1, 1, 4), 1, 0, out=out) is out
    assert out.ravel().tolist() == [0, 0, 5, 0]


@pytest.mark.parametrize("index", [-1, 24, 2**40, -(2**63)])
@pytest.mark.parametrize("cells", [(1, 1, 2), (2, 3, 4)])
def test_an_index_outside_its_plane_is_named(index: int, cells: tuple[int, ...]) -> None:
    indices = np.zeros((2, 3, *cells), np.int64)
    indices[1, 2, 0, 0, 1] = index
    with pytest.raises(IndexError, match=r"\[1, 2, 0, 0, 1\]") as caught:
        max_unpool3d(np.zeros(indices.shape, np.float32), indices, (2, 3, 4), 2, 0)
    assert str(index) in str(caught.value)


def test_the_values_of_stride_and_padding_do_not_matter() -> None:
    pooled = np.array([5, 6, 7], np.int32).reshape(1, 1, 1, 3)
    indices = np.array([5, 0, 7]).reshape(1, 1, 1, 3)
    for stride, padding in ((1, 0), ((9, 8, 7), (-3, 100, 0))):
        result = max_unpool3d(pooled, indices, (2, 2, 2), stride, padding)
        assert result.ravel().tolist() == [6, 0, 0, 0, 0, 5, 0, 7]
