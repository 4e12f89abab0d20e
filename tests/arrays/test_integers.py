"""Upsampling copies cells, so it takes masks, labels and scans: integers and bool, through every door for arrays."""

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


@pytest.mark.parametrize("operator", GRADIENTS)
def test_gradients_are_sums_of_floats(operator: str) -> None:
    axes = len(OPERATORS[operator].axes)
    gradient = np.ones((1, 1, *(4,) * axes), np.int32)
    name = registry.tensor_names(operator)[0]
    with explains(TypeError, operator, f"{name} is int32", "expected float32"):
        getattr(acltwin, operator)(gradient, (4,) * axes, (1, 1, *(2,) * axes))
