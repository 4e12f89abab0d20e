"""Infinities, NaNs, zeros of both signs, subnormal and overflowing values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from support.cases import AXES, DTYPES, OPERATORS, POOL, UPSAMPLE, Case, Window, name_of, pool, small_case, upsample
from support.values import assert_same_bits

OPERATOR_DTYPE = pytest.mark.parametrize(
    ("operator", "dtype"),
    [(operator, dtype) for operator in (*UPSAMPLE, POOL) for dtype in DTYPES[operator]],
    ids=lambda value: value if isinstance(value, str) else name_of(value),
)


@OPERATOR_DTYPE
@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_they_reach_only_the_cells_they_belong_to(operator: str, dtype: np.dtype[Any], special: float) -> None:
    case = small_case(operator, dtype)
    expected = case.run().astype(np.float64)
    rng = np.random.default_rng(3)
    for _ in range(20):
        place = tuple(int(rng.integers(n)) for n in case.tensors[0].shape)
        gradient = case.tensors[0].copy()
        gradient[place] = 0
        gradient[place] += np.array(1, dtype)
        marked = case.with_tensor(0, gradient).run().astype(np.float64)
        gradient[place] = special
        result = case.with_tensor(0, gradient).run().astype(np.float64)
        touched = ~np.isfinite(result)
        assert np.count_nonzero(touched) == 1
        assert np.array_equal(result[touched], [special], equal_nan=True)
        assert np.array_equal(result[~touched], marked[~touched])
    assert np.isfinite(expected).all()


@OPERATOR_DTYPE
def test_infinities_of_both_signs_make_a_nan(operator: str, dtype: np.dtype[Any]) -> None:
    rng = np.random.default_rng(5)
    if operator == POOL:
        case = pool(rng, dtype, (1, 1, 2), Window((1, 1, 2), (1, 1, 1), (0, 0, 1)), (1, 1))
        case = case.with_tensor(2, np.zeros_like(case.tensors[2]))
    else:
        axes = AXES[operator]
        case = upsample(rng, operator, dtype, (1,) * (axes - 1) + (3,), (1,) * axes, batch=(1, 1))
    gradient = np.zeros_like(case.tensors[0])
    gradient[..., 0], gradient[..., -1] = np.inf, -np.inf
    assert np.isnan(case.with_tensor(0, gradient).run().ravel()[0].astype(np.float64))


@pytest.mark.parametrize("dtype", DTYPES[UPSAMPLE[1]], ids=name_of)
def test_zeros_keep_their_sign_where_nothing_is_added(dtype: np.dtype[Any]) -> None:
    """One cell to one cell is a copy; a cell without gradients is +0.0; a pooled cell starts from +0.0."""
    rng = np.random.default_rng(6)
    case = upsample(rng, UPSAMPLE[1], dtype, (2, 3, 37), (2, 3, 37))
    negative = case.with_tensor(0, np.full_like(case.tensors[0], -0.0))
    assert np.signbit(negative.run().astype(np.float32)).all()
    shrunk = upsample(rng, UPSAMPLE[1], dtype, (1, 1, 8), (1, 1, 37))
    result = shrunk.with_tensor(0, np.full_like(shrunk.tensors[0], -0.0)).run().astype(np.float32)
    assert np.count_nonzero(np.signbit(result[0, 0])) == 8
    if dtype in DTYPES[POOL]:
        pooled = pool(rng, dtype, (4, 4, 64), Window((2, 2, 2), (2, 2, 2)))
        result = pooled.with_tensor(0, np.full_like(pooled.tensors[0], -0.0)).run().astype(np.float32)
        assert not np.signbit(result).any()


@pytest.mark.parametrize("size", [8, 4096])
def test_sums_that_overflow_become_infinite_and_large_ones_do_not(size: int) -> None:
    """65504 is the largest float16: a sum beyond it is infinite, one that returns below it is not."""
    gradient = np.zeros((1, 1, 1, 1, 4 * size), np.float16)
    gradient[..., 0::4] = gradient[..., 1::4] = 60000
    case = Case(UPSAMPLE[1], (gradient,), ((1, 1, 4 * size), (1, 1, 1, 1, size)))
    assert np.isposinf(case.run()).all()
    gradient[..., 2::4] = -60000
    assert (case.with_tensor(0, gradient).run() == 60000).all()


@pytest.mark.parametrize("large", [False, True], ids=["small", "large"])
@pytest.mark.parametrize("operator", OPERATORS)
def test_subnormals_are_kept_whatever_the_callers_float_mode(operator: str, large: bool) -> None:
    case = small_case(operator, batch=(64, 64) if large else (1, 1))
    tiny = case.with_tensor(0, (case.tensors[0] * np.float32(1e-41)).astype(np.float32))
    expected = tiny.run()
    assert (np.abs(expected[expected != 0]) < np.finfo(np.float32).tiny).any()
    assert torch.set_flush_denormal(True)
    try:
        result = tiny.run()
    finally:
        torch.set_flush_denormal(False)
    assert_same_bits(result, expected)


def test_every_float16_and_bfloat16_value_passes_unchanged() -> None:
    """All 65536 patterns through a copy of one cell each; only the payload of signalling NaNs may change."""
    for dtype in DTYPES[UPSAMPLE[1]]:
        if dtype.itemsize == 2:
            patterns = np.arange(65536, dtype=np.uint16).view(dtype).reshape(1, 1, 1, 1, -1)
            result = Case(UPSAMPLE[1], (patterns,), ((1, 1, 65536), (1, 1, 1, 1, 65536))).run()
            numbers = ~np.isnan(patterns.astype(np.float32))
            assert_same_bits(result[numbers], patterns[numbers])
            assert np.isnan(result[~numbers].astype(np.float32)).all()


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES[UPSAMPLE[1]] if dtype.itemsize == 2], ids=name_of)
def test_every_pattern_has_the_same_bits_in_every_layout(dtype: np.dtype[Any]) -> None:
    """Cells of two columns and of one in turns: a pattern and, where there is a second column, -0.0. NaNs included."""
    gradient = np.full((1, 64, 1, 1, 1536), -0.0, dtype)
    patterns = np.arange(65536, dtype=np.uint16).view(dtype).reshape(1, 64, 1, 1, 1024)
    gradient[..., 0::3], gradient[..., 2::3] = patterns[..., 0::2], patterns[..., 1::2]
    case = Case(UPSAMPLE[1], (gradient,), ((1, 1, 1536), (1, 64, 1, 1, 1024)))
    result = case.run()
    numbers = ~np.isnan(patterns.astype(np.float32))
    assert_same_bits(result[numbers], patterns[numbers])
    assert np.isnan(result[~numbers].astype(np.float32)).all()
    channels_last = np.moveaxis(np.ascontiguousarray(np.moveaxis(gradient, 1, -1)), -1, 1)
    assert_same_bits(case.with_tensor(0, channels_last).run(), result)
