"""max_pool3d_with_argmax: the maximum of every window, and the place of the right one of equal cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acltwin import max_pool3d_with_argmax, max_unpool3d, reference
from support.lazy import functional, torch
from support.libraries import to_numpy, to_torch
from support.values import BFLOAT16, assert_same_bits, random_array, random_specials, with_one_nan

DTYPES = [np.dtype("float32"), np.dtype("float16"), BFLOAT16, np.dtype("float64")]
WINDOWS: list[tuple[Any, ...]] = [
    (2, None, 0, 1, False),
    (3, 2, 1, 1, True),
    (3, 1, 1, 1, False),
    ((1, 2, 3), (2, 1, 2), (0, 1, 1), 1, False),
    (2, 2, 1, (1, 2, 3), True),
    (3, 3, 0, 1, True),
]
EVERY_DTYPE = pytest.mark.parametrize("dtype", DTYPES, ids=str)
EVERY_WINDOW = pytest.mark.parametrize("window", WINDOWS, ids=str)


def few_values(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray:
    """So few that every window has ties, zeros of both signs among them."""
    values = rng.integers(-2, 2, shape).astype(np.float32)
    values[rng.random(shape) < 0.2] = -0.0
    return values.astype(dtype)


@EVERY_DTYPE
@EVERY_WINDOW
@pytest.mark.parametrize("shape", [(2, 3, 6, 7, 8), (3, 5, 6, 9), (1, 2, 3, 4, 70)], ids=["5-D", "4-D", "long rows"])
@pytest.mark.parametrize("values", [random_array, few_values, random_specials])
def test_pytorch_and_the_reference_agree(
    dtype: np.dtype[Any], window: Any, shape: tuple[int, ...], values: Any, rng: np.random.Generator
) -> None:
    image = values(rng, shape, dtype)
    maxima, indices = max_pool3d_with_argmax(image, *window)
    theirs, places = functional.max_pool3d(to_torch(image), *window, return_indices=True)
    assert_same_bits(with_one_nan(maxima), with_one_nan(to_numpy(theirs)))
    assert np.array_equal(indices, places.numpy())
    exact, where = reference.max_pool3d_with_argmax(image, *window)
    assert np.array_equal(maxima.astype(np.float64), exact, equal_nan=True)
    assert np.array_equal(indices, where)


@EVERY_DTYPE
@pytest.mark.parametrize("index_dtype", ["int32", "int64"])
def test_the_type_of_the_indices(dtype: np.dtype[Any], index_dtype: Any, rng: np.random.Generator) -> None:
    image = random_array(rng, (2, 3, 5, 6, 40), dtype)
    maxima, indices = max_pool3d_with_argmax(image, 3, 2, 1, 1, False, index_dtype=index_dtype)
    assert (maxima.dtype, indices.dtype) == (dtype, np.dtype(index_dtype))
    plain, places = max_pool3d_with_argmax(image, 3, 2, 1, 1, False)
    assert_same_bits(maxima, plain)
    assert np.array_equal(indices, places)


@EVERY_DTYPE
def test_the_first_of_equal_cells_wins(dtype: np.dtype[Any]) -> None:
    image = np.zeros((1, 1, 4, 4, 64), dtype)
    _, indices = max_pool3d_with_argmax(image, 2, 2, 0, 1, False)
    d, h, w = np.meshgrid(np.arange(0, 4, 2), np.arange(0, 4, 2), np.arange(0, 64, 2), indexing="ij")
    assert np.array_equal(indices[0, 0], (d * 4 + h) * 64 + w)


@EVERY_DTYPE
def test_the_last_nan_of_a_window_wins(dtype: np.dtype[Any]) -> None:
    image = np.full((1, 1, 2, 2, 64), np.inf, dtype)
    image[0, 0, 0, 1, 1::2] = image[0, 0, 1, 0, ::2] = np.nan
    maxima, indices = max_pool3d_with_argmax(image, 2, 2, 0, 1, False)
    assert np.isnan(maxima.astype(np.float32)).all()
    assert indices.ravel().tolist() == list(range(128, 192, 2))


@EVERY_DTYPE
def test_padding_is_never_the_maximum(dtype: np.dtype[Any]) -> None:
    for value in (-np.inf, -1.0):
        image = np.full((1, 1, 1, 1, 20), value, dtype)
        maxima, indices = max_pool3d_with_argmax(image, (1, 1, 2), 1, (0, 0, 1), 1, False)
        assert (maxima == np.array(value, dtype)).all()
        assert indices.ravel().tolist() == [0, *range(20)]


def test_no_stride_means_the_kernel_size(rng: np.random.Generator) -> None:
    image = rng.standard_normal((1, 2, 6, 8, 12))
    expected = max_pool3d_with_argmax(image, (2, 4, 3), (2, 4, 3), 0, 1, False)
    for stride in (None, (), []):
        for result, other in zip(max_pool3d_with_argmax(image, (2, 4, 3), stride, 0, 1, False), expected, strict=True):
            assert np.array_equal(result, other)


def test_unpooling_puts_the_maxima_back(rng: np.random.Generator) -> None:
    image = torch.from_numpy(rng.standard_normal((2, 3, 4, 6, 8)).astype(np.float32))
    maxima, indices = max_pool3d_with_argmax(image, 2, None, 0, 1, False, index_dtype="int64")
    back = max_unpool3d(maxima, indices, (4, 6, 8), 2, 0)
    assert torch.equal(back, functional.max_unpool3d(maxima, indices, 2))
    assert torch.equal(back[back != 0], image[back != 0])


def test_out_is_a_pair(rng: np.random.Generator) -> None:
    image = rng.standard_normal((2, 3, 4, 6, 8)).astype(np.float32)
    maxima, indices = max_pool3d_with_argmax(image, 2, None, 0, 1, False, index_dtype="int64")
    out = np.empty_like(maxima), np.empty_like(indices)
    returned = max_pool3d_with_argmax(image, 2, None, 0, 1, False, index_dtype="int64", out=out)
    assert returned[0] is out[0]
    assert returned[1] is out[1]
    assert np.array_equal(out[0], maxima)
    assert np.array_equal(out[1], indices)


@pytest.mark.parametrize("axis", range(3))
def test_padding_of_more_than_half_the_kernel_is_refused_on_every_axis(axis: int) -> None:
    padding = [1, 1, 1]
    padding[axis] = 2
    with pytest.raises(ValueError, match="padding"):
        max_pool3d_with_argmax(np.zeros((1, 1, 6, 6, 6), np.float32), (3, 3, 3), 1, padding, 1, False)
