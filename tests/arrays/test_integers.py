"""Upsampling copies cells and max pooling compares them: arrays may be masks, labels and scans, integers and bool."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin import reference
from acltwin.ops import OPERATORS
from support import registry
from support.lazy import acltwin_dask, acltwin_torch, da, torch
from support.messages import explains

FORWARD = registry.names(is_gradient=False, family="upsample")
GRADIENTS = registry.names(is_gradient=True, family="upsample")
POOLS = registry.names(is_gradient=False, family="pool")
DTYPES = ("uint8", "int8", "int16", "uint16", "int32", "int64", "bool")


def call(operator: str, dtype: str, rng: np.random.Generator) -> tuple[np.ndarray[Any, Any], tuple[int, ...]]:
    axes = len(OPERATORS[operator].axes)
    sizes = tuple(int(n) for n in rng.integers(1, 40, axes))
    bits = rng.integers(0, 256, (2, 3, *sizes, 8), np.uint8)
    cells = bits[..., 0] > 127 if dtype == "bool" else bits.view(dtype)[..., 0]
    return cells, tuple(int(n) for n in rng.integers(1, 80, axes))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operator", FORWARD)
def test_every_bit_is_copied(operator: str, dtype: str, rng: np.random.Generator) -> None:
    function, right = getattr(acltwin, operator), getattr(reference, operator)
    for _ in range(10):
        cells, sizes = call(operator, dtype, rng)
        expected = right(cells, sizes)
        last = np.moveaxis(np.ascontiguousarray(np.moveaxis(cells, 1, -1)), -1, 1)
        for layout in (cells, np.ascontiguousarray(cells), last, cells[..., ::-1][..., ::-1]):
            result = function(layout, sizes)
            assert result.dtype == cells.dtype
            assert np.array_equal(result, expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_in_frameworks(dtype: str, rng: np.random.Generator) -> None:
    cells, sizes = call("upsample_nearest_exact3d", dtype, rng)
    cells = np.ascontiguousarray(cells)
    expected = acltwin.upsample_nearest_exact3d(cells, sizes)
    tensor = torch.from_numpy(cells)
    results = [
        acltwin_torch.interpolate(tensor, sizes, mode="nearest-exact").numpy(),
        torch.ops.acltwin.upsample_nearest_exact3d(tensor, sizes).numpy(),
        acltwin_dask.upsample_nearest_exact3d(da.from_array(cells, (1, 2, *cells.shape[2:])), sizes).compute(),
    ]
    for result in results:
        assert result.dtype == cells.dtype
        assert np.array_equal(result, expected)


def window(axes: int, cells: np.ndarray[Any, Any], rng: np.random.Generator) -> tuple[Any, ...]:
    """One that fits, with any stride, padding and dilation."""
    kernel = tuple(int(rng.integers(1, min(size, 4) + 1)) for size in cells.shape[-axes:])
    padding = tuple(int(rng.integers(0, k // 2 + 1)) for k in kernel)
    room = zip(cells.shape[-axes:], kernel, strict=True)
    dilation = tuple(int(rng.integers(1, 3)) if 2 * (k - 1) < size else 1 for size, k in room)
    return kernel, tuple(int(n) for n in rng.integers(1, 4, axes)), padding, dilation, bool(rng.integers(2))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operator", POOLS)
def test_the_maxima_of_integers(operator: str, dtype: str, rng: np.random.Generator) -> None:
    """All bits are random, so that int64 has values that float64 does not, and bytes repeat: the first one is meant."""
    function, axes = getattr(acltwin, operator), len(OPERATORS[operator].axes)
    for _ in range(10):
        cells, _ = call(operator, dtype, rng)
        windows = window(axes, cells, rng)
        expected, places = getattr(reference, operator)(cells, *windows)
        last = np.moveaxis(np.ascontiguousarray(np.moveaxis(cells, 1, -1)), -1, 1)
        for index_dtype in ("int32", "int64"):
            for layout in (cells, np.ascontiguousarray(cells), last):
                maxima, indices = function(layout, *windows, index_dtype=index_dtype)
                assert (maxima.dtype, indices.dtype) == (cells.dtype, index_dtype)
                assert np.array_equal(maxima, expected)
                assert np.array_equal(indices, places)
        if dtype not in ("uint16", "bool"):  # which PyTorch does not pool
            theirs = registry.aten(OPERATORS[operator])(torch.from_numpy(np.ascontiguousarray(cells)), *windows)
            assert np.array_equal(theirs[0], expected)
            assert np.array_equal(theirs[1], places)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operator", POOLS)
def test_the_maxima_of_integers_in_frameworks(operator: str, dtype: str, rng: np.random.Generator) -> None:
    axes, drop_in = len(OPERATORS[operator].axes), acltwin_torch.max_pool3d
    cells = np.ascontiguousarray(call(operator, dtype, rng)[0])
    windows = window(axes, cells, rng)
    expected = getattr(acltwin, operator)(cells, *windows)
    tensor, chunked = torch.from_numpy(cells), da.from_array(cells, (1, 2, *cells.shape[2:]))
    results = [
        getattr(torch.ops.acltwin, operator)(tensor, *windows),
        [result.compute() for result in getattr(acltwin_dask, operator)(chunked, *windows)],
    ]
    if axes == 3:
        results.append(drop_in(tensor, *windows, return_indices=True))
    for maxima, indices in results:
        assert np.asarray(maxima).dtype == cells.dtype
        assert np.array_equal(maxima, expected[0])
        assert np.array_equal(indices, expected[1])


@pytest.mark.parametrize("operator", registry.names(is_gradient=True, family="pool"))
def test_gradients_of_poolings_are_sums_of_floats(operator: str) -> None:
    axes = len(OPERATORS[operator].axes)
    pooled, cells = (np.ones((1, 1, *(size,) * axes), np.int32) for size in (2, 4))
    with explains(TypeError, operator, "input is int32", "expected float32", "because values are summed"):
        getattr(acltwin, operator)(pooled, cells, pooled, 2, 2, 0, 1, False)


@pytest.mark.parametrize("operator", GRADIENTS)
def test_gradients_are_sums_of_floats(operator: str) -> None:
    axes = len(OPERATORS[operator].axes)
    gradient = np.ones((1, 1, *(4,) * axes), np.int32)
    name = registry.tensor_names(operator)[0]
    with explains(TypeError, operator, f"{name} is int32", "expected float32", "because values are summed"):
        getattr(acltwin, operator)(gradient, (4,) * axes, (1, 1, *(2,) * axes))
