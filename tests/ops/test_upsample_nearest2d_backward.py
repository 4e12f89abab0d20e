"""upsample_nearest2d_backward: who collects which cells, in every dtype and both orders of axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acltwin import reference, upsample_nearest2d_backward
from support.lazy import torch
from support.oracles import assert_within_summation_error
from support.values import BFLOAT16, random_array

DTYPES = [np.dtype("float32"), np.dtype("float16"), BFLOAT16, np.dtype("float64")]
SIZES = [((6, 8), (3, 4)), ((5, 7), (3, 4)), ((5, 5), (2, 9)), ((3, 4), (6, 8))]


def test_each_cell_collects_its_copies() -> None:
    """1.5 times as many cells: by nearest the first cell has two copies, the second one."""
    grad_out = np.array([1, 10, 100], np.float32).reshape(1, 1, 1, 3)
    assert upsample_nearest2d_backward(grad_out, (1, 3), (1, 1, 1, 2)).ravel().tolist() == [11, 100]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(("outer", "inner"), SIZES)
@pytest.mark.parametrize("rule", ["device", "torch"])
def test_signed_random_gradients(
    dtype: np.dtype[Any], outer: tuple[int, ...], inner: tuple[int, ...], rule: Any, rng: np.random.Generator
) -> None:
    grad_out, sizes = random_array(rng, (2, 3, *outer), dtype), (outer, (2, 3, *inner))
    result = upsample_nearest2d_backward(grad_out, *sizes, rule=rule)
    exact = reference.upsample_nearest2d_backward(grad_out, *sizes, rule=rule)
    magnitude = reference.upsample_nearest2d_backward(np.abs(grad_out), *sizes, rule=rule)
    assert result.dtype == dtype
    assert_within_summation_error(result, exact, magnitude, terms=9)


@pytest.mark.parametrize("scales", [(None, None), (1.7, 2.3), (None, 2.3)])
def test_pytorch_agrees_by_its_own_rule(scales: tuple[float | None, ...], rng: np.random.Generator) -> None:
    grad_out = torch.from_numpy(rng.integers(-50, 50, (2, 3, 7, 9))).to(torch.float32)
    call = (grad_out, (7, 9), (2, 3, 3, 6), *scales)
    theirs = torch.ops.aten.upsample_nearest2d_backward(*call)
    assert torch.equal(upsample_nearest2d_backward(*call, rule="torch"), theirs)


@pytest.mark.parametrize("input_size", [(2, 3, 3, 4), (2, 3, 4, 3)])
def test_channels_may_come_last(input_size: tuple[int, ...], rng: np.random.Generator) -> None:
    """In NHWC, input_size may name its axes in either order."""
    grad_out = rng.standard_normal((2, 3, 5, 7)).astype(np.float32)
    expected = upsample_nearest2d_backward(grad_out, (5, 7), (2, 3, 3, 4))
    last = np.ascontiguousarray(np.moveaxis(grad_out, 1, 3))
    result = upsample_nearest2d_backward(last, (5, 7), input_size, data_format="NHWC")
    assert np.array_equal(np.moveaxis(result, 3, 1), expected)


def test_each_scale_counts_on_its_own() -> None:
    """What a given scale does not reach is dropped."""
    grad_out = np.arange(1, 9, dtype=np.float32).reshape(1, 1, 2, 4)
    assert upsample_nearest2d_backward(grad_out, (2, 4), (1, 1, 1, 2), 0.0, 1.0).ravel().tolist() == [6, 8]


def test_a_size_that_fits_in_either_order_is_read_as_the_format_says(rng: np.random.Generator) -> None:
    """N, H, W, C of an NHWC tensor, as the device reads it, by the core and by the reference."""
    grad_out = rng.integers(-9, 10, (2, 8, 6, 3)).astype(np.float32)
    call = (grad_out, (8, 6), (2, 3, 4, 3))  # H = 3, W = 4, C = 3; or C = 3, H = 4, W = 3
    result = upsample_nearest2d_backward(*call, data_format="NHWC")
    assert result.shape == (2, 3, 4, 3)
    first = np.moveaxis(grad_out, 3, 1)
    expected = np.moveaxis(upsample_nearest2d_backward(first, (8, 6), (2, 3, 3, 4)), 1, 3)
    assert np.array_equal(result, expected)
    assert np.array_equal(reference.upsample_nearest2d_backward(*call, data_format="NHWC"), expected)
