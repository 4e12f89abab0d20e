"""upsample_nearest_exact2d_backward: who collects which cells, in every dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acltwin import reference, upsample_nearest_exact2d_backward
from support.lazy import torch
from support.libraries import PYTORCH
from support.oracles import assert_within_summation_error
from support.values import BFLOAT16, random_array

DTYPES = [np.dtype("float32"), np.dtype("float16"), BFLOAT16, np.dtype("float64")]
SIZES = [((6, 8), (3, 4)), ((5, 7), (3, 4)), ((5, 5), (2, 9)), ((3, 4), (6, 8))]


@pytest.mark.parametrize(("outer", "inner"), SIZES)
def test_coded_gradients_land_in_their_cells(outer: tuple[int, ...], inner: tuple[int, ...]) -> None:
    """Every gradient is another whole number, so a wrong cell gives a wrong sum."""
    grad_output = np.arange(np.prod((2, 3, *outer)), dtype=np.float32).reshape(2, 3, *outer)
    call = (grad_output, outer, (2, 3, *inner))
    assert np.array_equal(upsample_nearest_exact2d_backward(*call), reference.upsample_nearest_exact2d_backward(*call))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(("outer", "inner"), SIZES)
@pytest.mark.parametrize("rule", ["device", "torch"])
def test_signed_random_gradients(
    dtype: np.dtype[Any], outer: tuple[int, ...], inner: tuple[int, ...], rule: Any, rng: np.random.Generator
) -> None:
    grad_output, sizes = random_array(rng, (2, 3, *outer), dtype), (outer, (2, 3, *inner))
    result = upsample_nearest_exact2d_backward(grad_output, *sizes, rule=rule)
    exact = reference.upsample_nearest_exact2d_backward(grad_output, *sizes, rule=rule)
    magnitude = reference.upsample_nearest_exact2d_backward(np.abs(grad_output), *sizes, rule=rule)
    assert result.dtype == dtype
    assert_within_summation_error(result, exact, magnitude, terms=9)


def test_pytorch_agrees_by_its_own_rule(rng: np.random.Generator) -> None:
    grad_output = torch.from_numpy(rng.integers(-50, 50, (2, 3, 7, 9)).astype(np.float32))
    for scales in ((None, None), (2.3, 1.4), (None, 1.4)):
        call = (grad_output, (7, 9), (2, 3, 3, 6), *scales)
        theirs = PYTORCH["upsample_nearest_exact2d_backward"](*call)
        assert torch.equal(upsample_nearest_exact2d_backward(*call, rule="torch"), theirs)


def test_each_scale_counts_on_its_own() -> None:
    grad_output = np.ones((1, 1, 4, 4), np.float32)
    result = upsample_nearest_exact2d_backward(grad_output, (4, 4), (1, 1, 2, 2), 1.0)
    assert result.ravel().tolist() == [2.0] * 4  # H: one row each, two are dropped; W: two columns each


@pytest.mark.parametrize("scale", [0.0, 0.5])
def test_downsampling_scatters_over_a_larger_result(scale: float) -> None:
    """The documented sample's tensors, which are half the result: row 2i + 1, column 2j + 1 gets cell (i, j)."""
    grad_output = np.arange(8, dtype=np.float32).reshape(1, 1, 4, 2)
    result = upsample_nearest_exact2d_backward(grad_output, (4, 2), (1, 1, 8, 4), scale, scale)
    assert np.array_equal(result[..., 1::2, 1::2], grad_output)
    assert np.count_nonzero(result) == 7


def test_the_values_of_output_size_are_not_compared() -> None:
    grad_output = np.ones((1, 1, 4, 4), np.float32)
    right = upsample_nearest_exact2d_backward(grad_output, (4, 4), (1, 1, 2, 2))
    assert np.array_equal(upsample_nearest_exact2d_backward(grad_output, (9, 1), (1, 1, 2, 2)), right)
