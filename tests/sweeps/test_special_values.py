"""Infinities, NaNs, zeros of both signs, subnormal and overflowing values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acltwin
from support.cases import (
    AXES,
    DTYPES,
    EXACT3D,
    OPERATORS,
    POOL,
    UPSAMPLE,
    Case,
    Window,
    name_of,
    pool,
    small_case,
    upsample,
)
from support.layouts import STRIDED, Layout, contiguous
from support.lazy import torch
from support.thorough import THOROUGH
from support.values import Array, assert_same_bits

OPERATOR_DTYPE = pytest.mark.parametrize(
    ("operator", "dtype"),
    [(operator, dtype) for operator in (*UPSAMPLE, POOL) for dtype in DTYPES[operator]],
    ids=lambda value: value if isinstance(value, str) else name_of(value),
)


def from_zero(values: Array) -> Array:
    return np.where(values == 0, np.zeros_like(values), values)


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


# From as many cells to more, to fewer, to as many: every way to fold columns, and cells that receive nothing.
ZERO_SIZES = ((37, 37), (74, 37), (111, 37), (148, 37), (56, 37), (370, 37), (8, 37), (3, 2), (1, 1), (4000, 1))


@pytest.mark.parametrize("layout", [contiguous, *STRIDED[:: 1 if THOROUGH else 3]], ids=lambda layout: layout.__name__)
@OPERATOR_DTYPE
def test_every_sum_starts_from_positive_zero(operator: str, dtype: np.dtype[Any], layout: Layout) -> None:
    """Negative zeros alone sum to +0.0, one of them included."""
    rng = np.random.default_rng(6)
    if operator == POOL:
        cases = [pool(rng, dtype, (4, 4, 64), Window((k, k, k), (2, 2, 2), (k // 3,) * 3)) for k in (2, 3)]
    else:
        rest = AXES[operator] - 1
        cases = [
            upsample(
                rng, operator, dtype, (outer,) * rest + (columns,), (inner,) * rest + (cells,), batch=(1, channels)
            )
            for columns, cells in ZERO_SIZES
            for outer, inner in ((2, 2), (6, 2))
            for channels in (1, 33)
        ]
    for case in cases:
        zeros = case.with_tensor(0, np.full_like(case.tensors[0], -0.0)).mapped(layout)
        result = zeros.run().astype(np.float64)
        assert not result.any()
        assert not np.signbit(result).any(), case


@pytest.mark.parametrize("sizes", [((3, 4, 5), (3, 4, 5)), ((6, 8, 10), (3, 4, 5)), ((4, 6, 7), (3, 4, 5))])
def test_pytorch_starts_there_too(sizes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    outer, inner = sizes
    zeros = torch.full((1, 2, *outer), -0.0)
    expected = torch.ops.aten._upsample_nearest_exact3d_backward(zeros, outer, (1, 2, *inner), None, None, None)
    result = Case(EXACT3D, (zeros.numpy(),), (outer, (1, 2, *inner))).run()
    assert_same_bits(result, expected.numpy())


@pytest.mark.parametrize("kernel", [1, 2, 3])
def test_pytorch_pools_from_there_too(kernel: int) -> None:
    cells = torch.randn(1, 2, 6, 6, 6, requires_grad=True)
    pooled = torch.nn.functional.max_pool3d(cells, kernel, return_indices=True)
    gradient, indices = torch.full_like(pooled[0], -0.0), pooled[1].to(torch.int32)
    (expected,) = torch.autograd.grad(pooled[0], cells, gradient)
    result = acltwin.max_pool3d_with_argmax_backward(
        gradient.numpy(), cells.detach().numpy(), indices.numpy(), kernel, kernel, 0, 1, False
    )
    assert_same_bits(result, expected.numpy())


@pytest.mark.parametrize("size", [8, 4096])
def test_sums_that_overflow_become_infinite_and_large_ones_do_not(size: int) -> None:
    """65504 is the largest float16: a sum beyond it is infinite, one that returns below it is not."""
    gradient = np.zeros((1, 1, 1, 1, 4 * size), np.float16)
    gradient[..., 0::4] = gradient[..., 1::4] = 60000
    case = Case(EXACT3D, (gradient,), ((1, 1, 4 * size), (1, 1, 1, 1, size)))
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
    """All 65536 patterns, each the only one of its sum; only -0.0 and the payload of signalling NaNs may change."""
    for dtype in DTYPES[EXACT3D]:
        if dtype.itemsize == 2:
            patterns = np.arange(65536, dtype=np.uint16).view(dtype).reshape(1, 1, 1, 1, -1)
            result = Case(EXACT3D, (patterns,), ((1, 1, 65536), (1, 1, 1, 1, 65536))).run()
            numbers = ~np.isnan(patterns.astype(np.float32))
            assert_same_bits(result[numbers], from_zero(patterns[numbers]))
            assert np.isnan(result[~numbers].astype(np.float32)).all()


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES[EXACT3D] if dtype.itemsize == 2], ids=name_of)
def test_every_pattern_has_the_same_bits_in_every_layout(dtype: np.dtype[Any]) -> None:
    """Cells of two columns and of one in turns: a pattern and, where there is a second column, -0.0. NaNs included."""
    gradient = np.full((1, 64, 1, 1, 1536), -0.0, dtype)
    patterns = np.arange(65536, dtype=np.uint16).view(dtype).reshape(1, 64, 1, 1, 1024)
    gradient[..., 0::3], gradient[..., 2::3] = patterns[..., 0::2], patterns[..., 1::2]
    case = Case(EXACT3D, (gradient,), ((1, 1, 1536), (1, 64, 1, 1, 1024)))
    result = case.run()
    numbers = ~np.isnan(patterns.astype(np.float32))
    assert_same_bits(result[numbers], from_zero(patterns[numbers]))
    assert np.isnan(result[~numbers].astype(np.float32)).all()
    channels_last = np.moveaxis(np.ascontiguousarray(np.moveaxis(gradient, 1, -1)), -1, 1)
    assert_same_bits(case.with_tensor(0, channels_last).run(), result)
