"""upsample_nearest3d_backward: who collects which cells, in every dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acltwin import reference, upsample_nearest3d_backward
from support.lazy import torch
from support.libraries import PYTORCH
from support.oracles import assert_within_summation_error
from support.values import BFLOAT16, random_array

DTYPES = [np.dtype("float32"), np.dtype("float16"), BFLOAT16, np.dtype("float64")]
SIZES = [((4, 6, 8), (2, 3, 4)), ((3, 5, 7), (2, 3, 4)), ((5, 5, 5), (5, 2, 9)), ((2, 3, 4), (4, 6, 8))]


def test_each_cell_collects_its_copies() -> None:
    """1.5 times as many cells: by nearest the first cell has two copies, the second one."""
    grad_out = np.array([1, 10, 100], np.float32).reshape(1, 1, 1, 1, 3)
    assert upsample_nearest3d_backward(grad_out, (1, 1, 3), (1, 1, 1, 1, 2)).ravel().tolist() == [11, 100]


@pytest.mark.parametrize(("outer", "inner"), SIZES)
def test_coded_gradients_land_in_their_cells(outer: tuple[int, ...], inner: tuple[int, ...]) -> None:
    """Every gradient is another whole number, so a wrong cell gives a wrong sum."""
    grad_out = np.arange(np.prod((2, 3, *outer)), dtype=np.float64).reshape(2, 3, *outer)
    call = (grad_out, outer, (2, 3, *inner))
    assert np.array_equal(upsample_nearest3d_backward(*call), reference.upsample_nearest3d_backward(*call))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(("outer", "inner"), SIZES)
@pytest.mark.parametrize("rule", ["device", "torch"])
def test_signed_random_gradients(
    dtype: np.dtype[Any], outer: tuple[int, ...], inner: tuple[int, ...], rule: Any, rng: np.random.Generator
) -> None:
    grad_out, sizes = random_array(rng, (2, 3, *outer), dtype), (outer, (2, 3, *inner))
    result = upsample_nearest3d_backward(grad_out, *sizes, rule=rule)
    exact = reference.upsample_nearest3d_backward(grad_out, *sizes, rule=rule)
    magnitude = reference.upsample_nearest3d_backward(np.abs(grad_out), *sizes, rule=rule)
    assert result.dtype == dtype
    assert_within_summation_error(result, exact, magnitude, terms=27)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_pytorch_agrees_by_its_own_rule(dtype: str, rng: np.random.Generator) -> None:
    grad_out = torch.from_numpy(rng.integers(-50, 50, (2, 3, 5, 7, 9)).astype(dtype))
    for scales in ((None, None, None), (1.7, 2.3, 1.4), (None, 2.3, None)):
        call = (grad_out, (5, 7, 9), (2, 3, 3, 3, 6), *scales)
        theirs = PYTORCH["upsample_nearest3d_backward"](*call)
        assert torch.equal(upsample_nearest3d_backward(*call, rule="torch"), theirs)


def test_the_two_rules_differ_where_float32_rounds() -> None:
    """14 cells made from 26: 7 * (26 / 14) is 13, but 12 * (14 / 26) and 13 * (14 / 26) round."""
    grad_out = np.zeros((1, 1, 1, 1, 14), np.float32)
    grad_out[..., 7] = 1
    call = (grad_out, (1, 1, 14), (1, 1, 1, 1, 26))
    assert upsample_nearest3d_backward(*call).argmax() == 12
    assert upsample_nearest3d_backward(*call, rule="torch").argmax() == 13


def test_any_factor_is_allowed() -> None:
    grad_out = np.ones((1, 1, 1, 1, 600), np.float32)
    assert upsample_nearest3d_backward(grad_out, (1, 1, 600), (1, 1, 1, 1, 1)).item() == 600
