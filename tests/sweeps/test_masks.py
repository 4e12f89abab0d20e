"""The device's masks byte by byte, from PyTorch's indices, and what their gradients make of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin import reference
from support.lazy import torch
from support.thorough import THOROUGH
from support.values import Array, random_array

SEED, CALLS = 20261118, 1000 if THOROUGH else 120


def random_call(rng: np.random.Generator) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """One in six has a window of one cell."""
    kernel = rng.integers(1, 5, 2) if rng.random() > 1 / 6 else np.ones(2, np.int64)
    padding = rng.integers(0, kernel // 2, endpoint=True)
    stride = [None, int(rng.integers(1, 4)), tuple(map(int, rng.integers(1, 4, 2)))][int(rng.integers(3))]
    plane = kernel + rng.integers(0, 12, 2) + rng.integers(0, 60, 2) * (rng.random(2) < 0.2)
    batch = [(2, 3), (3,), (1, 20), (2, 17)][int(rng.integers(4))]
    window = (tuple(map(int, kernel)), stride, tuple(map(int, padding)), 1, bool(rng.random() < 0.4))
    return (*batch, *map(int, plane)), window


def mask_of(indices: Array, taps: int) -> Array:
    """As the documents describe it: indices of 4 bytes, or words of 16 channels for each window."""
    windows = math.prod(indices.shape[-2:])
    mask = np.zeros((*indices.shape[:-2], taps, (math.ceil(windows / 16) + 1) * 32), np.int8)
    if taps > 1:
        mask.flat[: 4 * indices.size] = np.frombuffer(indices.astype("<i4").tobytes(), np.int8)
    else:
        words = mask.reshape(-1).view(np.uint16)
        blocks = math.prod(indices.shape[:-3]) * math.ceil(indices.shape[-3] / 16)
        for block in range(blocks):
            first = block * (math.ceil(windows / 16) + 1) * 16
            words[first : first + math.ceil(windows / 16) * 16] = 0xFFFF
    return mask


def test_masks_and_gradients_are_those_of_pytorchs_indices() -> None:
    rng = np.random.default_rng(SEED)
    for number in range(CALLS):
        shape, window = random_call(rng)
        what = f"seed {SEED}, call {number}: {shape}, {window}"
        values = random_array(rng, shape, np.dtype(np.float64))
        if number % 5 == 0:
            values[rng.random(shape) < 0.1] = np.nan
        if number % 7 == 0:
            values = np.round(values)
        tensor = torch.from_numpy(values).requires_grad_()
        pooled, indices = torch.nn.functional.max_pool2d(
            tensor, window[0], window[1], *window[2:4], ceil_mode=window[4], return_indices=True
        )
        maxima, mask = acltwin.max_pool2d_with_mask(values, *window)
        np.testing.assert_array_equal(maxima, pooled.detach(), err_msg=what)
        np.testing.assert_array_equal(mask, mask_of(indices.numpy(), math.prod(window[0])), err_msg=what)

        gradient = random_array(rng, maxima.shape, values.dtype)
        (expected,) = torch.autograd.grad(pooled, tensor, torch.from_numpy(gradient))
        actual = acltwin.max_pool2d_with_mask_backward(gradient, values, mask, *window)
        np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-12, err_msg=what)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int16"])
def test_masks_are_those_of_the_definition(dtype: str) -> None:
    rng = np.random.default_rng(SEED)
    for number in range(CALLS // 4):
        shape, window = random_call(rng)
        what = f"seed {SEED}, call {number}: {shape}, {window}"
        values = random_array(rng, shape, np.dtype(dtype))
        maxima, mask = acltwin.max_pool2d_with_mask(values, *window)
        expected, bytes_expected = reference.max_pool2d_with_mask(values, *window)
        np.testing.assert_array_equal(maxima, expected.astype(dtype), err_msg=what)
        np.testing.assert_array_equal(mask, bytes_expected, err_msg=what)
        if dtype == "int16":
            continue  # sums are floats
        gradient = rng.integers(-8, 8, maxima.shape).astype(dtype)
        actual = acltwin.max_pool2d_with_mask_backward(gradient, values, mask, *window)
        exact = reference.max_pool2d_with_mask_backward(gradient, values, mask, *window)
        np.testing.assert_array_equal(actual, exact.astype(dtype), err_msg=what)


def test_the_tail_of_a_mask_that_is_given_stays() -> None:
    values = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    out, mask = np.zeros((1, 1, 2, 2), np.float32), np.full((1, 1, 4, 64), 0x5A, np.int8)
    acltwin.max_pool2d_with_mask(values, 2, 2, 0, 1, False, out=(out, mask))
    assert mask.ravel()[:16].view(np.int32).tolist() == [5, 7, 13, 15]
    assert (mask.ravel()[16:] == 0x5A).all()


def test_a_mask_anywhere_in_memory_is_read() -> None:
    memory = np.zeros(257, np.int8)
    values = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    memory[1:] = acltwin.max_pool2d_with_mask(values, 2, 2, 0, 1, False)[1].ravel()
    mask, grad = memory[1:].reshape(1, 1, 4, 64), np.ones((1, 1, 2, 2), np.float32)
    result = acltwin.max_pool2d_with_mask_backward(grad, values, mask, 2, 2, 0, 1, False)
    assert np.flatnonzero(result).tolist() == [5, 7, 13, 15]
