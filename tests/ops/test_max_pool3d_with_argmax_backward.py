"""max_pool3d_with_argmax_backward: every gradient is added where its window's maximum was."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acltwin import max_pool3d_with_argmax_backward, reference
from support.lazy import functional, torch
from support.oracles import assert_within_summation_error
from support.values import BFLOAT16, random_array

DTYPES = [np.dtype("float32"), np.dtype("float16"), BFLOAT16, np.dtype("float64")]
WINDOWS = [
    (2, None, 0, 1, False),
    (3, 2, 1, 1, True),
    (3, 1, 1, 1, False),
    ((1, 2, 3), (2, 1, 2), (0, 1, 1), 1, False),
    (2, 2, 1, (1, 2, 3), True),
    (3, 3, 0, 1, True),
]


def pooled_image(rng: np.random.Generator, shape: tuple[int, ...], window: Any) -> tuple[np.ndarray, np.ndarray]:
    """An image and the places of its maxima."""
    image = rng.standard_normal(shape).astype(np.float32)
    _, indices = functional.max_pool3d(torch.from_numpy(image), *window, return_indices=True)
    return image, indices.numpy()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("window", WINDOWS, ids=str)
@pytest.mark.parametrize("shape", [(2, 3, 6, 7, 8), (3, 5, 6, 9)], ids=["5-D", "4-D"])
@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
def test_signed_random_gradients(
    dtype: np.dtype[Any], window: Any, shape: tuple[int, ...], index_dtype: type, rng: np.random.Generator
) -> None:
    image, indices = pooled_image(rng, shape, window)
    grad_output = random_array(rng, indices.shape, dtype)
    call = (image.astype(dtype), indices.astype(index_dtype), *window)
    result = max_pool3d_with_argmax_backward(grad_output, *call)
    exact = reference.max_pool3d_with_argmax_backward(grad_output, *call)
    magnitude = reference.max_pool3d_with_argmax_backward(np.abs(grad_output), *call)
    assert result.dtype == dtype
    assert_within_summation_error(result, exact, magnitude, terms=27)


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_coded_gradients_agree_with_pytorch(window: Any, rng: np.random.Generator) -> None:
    """Every gradient is another whole number, so a wrong place gives a wrong sum."""
    image, indices = pooled_image(rng, (2, 3, 6, 7, 8), window)
    tensor = torch.from_numpy(image).requires_grad_()
    grad_output = torch.arange(indices.size, dtype=torch.float32).reshape(indices.shape)
    functional.max_pool3d(tensor, *window).backward(grad_output)
    result = max_pool3d_with_argmax_backward(grad_output, tensor.detach(), torch.from_numpy(indices), *window)
    assert torch.equal(result, tensor.grad)


def test_sixteen_bit_sums_are_rounded_once() -> None:
    """In float16, 1 + 2^-11 is 1: summed step by step it would stay 1."""
    grad_output = np.array([1, *[2.0**-11] * 8], np.float16).reshape(1, 1, 1, 1, 9)
    image, indices = np.zeros((1, 1, 1, 1, 10), np.float16), np.full(grad_output.shape, 4)
    result = max_pool3d_with_argmax_backward(grad_output, image, indices, (1, 1, 2), 1, 0, 1, False)
    assert result.ravel()[4] == np.float16(1 + 2.0**-8)


def test_an_index_outside_its_window_still_counts() -> None:
    grad_output = np.array([1, 2], np.float32).reshape(1, 1, 1, 1, 2)
    image, indices = np.zeros((1, 1, 1, 1, 4), np.float32), np.array([3, 0]).reshape(grad_output.shape)
    result = max_pool3d_with_argmax_backward(grad_output, image, indices, (1, 1, 2), None, 0, 1, False)
    assert result.ravel().tolist() == [2, 0, 0, 1]


@pytest.mark.parametrize("index", [-1, 24, 2**40, -(2**63)])
def test_an_index_outside_its_plane_is_named(index: int) -> None:
    image, indices = np.zeros((2, 3, 2, 3, 4), np.float32), np.zeros((2, 3, 1, 1, 2), np.int64)
    indices[1, 2, 0, 0, 1] = index
    with pytest.raises(IndexError, match=r"\[1, 2, 0, 0, 1\]") as caught:
        max_pool3d_with_argmax_backward(np.ones(indices.shape, np.float32), image, indices, 2, 2, 0, 1, False)
    assert str(index) in str(caught.value)
