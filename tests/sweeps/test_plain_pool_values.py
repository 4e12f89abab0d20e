"""Max pooling without indices, against PyTorch's of a tensor that is padded, and against its definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin import reference
from acltwin.ops import OPERATORS
from support import registry
from support.lazy import torch
from support.thorough import THOROUGH
from support.values import Array, random_array

FORWARD = registry.names(is_gradient=False, family="plain_pool")
SEED, CALLS = 20261118, 1500 if THOROUGH else 150


def random_call(rng: np.random.Generator, axes: int) -> tuple[tuple[int, ...], dict[str, Any]]:
    """A shape, and windows over it: pads of every length, on each axis at most the kernel."""
    kernel = rng.integers(1, 5, axes)
    before = rng.integers(0, kernel, endpoint=True)
    behind = rng.integers(0, kernel - before, endpoint=True)
    even = int(min(kernel) // 2)
    pads = [(), even, tuple(map(int, kernel // 2)), tuple(map(int, (*before, *behind)))][int(rng.integers(4))]
    strides = [(), int(rng.integers(1, 4)), tuple(map(int, rng.integers(1, 4, axes)))][int(rng.integers(3))]
    plane = kernel + rng.integers(0, 12, axes) + rng.integers(0, 60, axes) * (rng.random(axes) < 0.2)
    batch = [(2, 3), (3,), (1, 20)][int(rng.integers(3))]
    window = {"kernel_shape": tuple(map(int, kernel)), "strides": strides, "pads": pads}
    return (*batch, *map(int, plane)), {**window, "ceil_mode": bool(rng.random() < 0.4)}


def by_pytorch(values: Array, axes: int, *, kernel_shape: Any, strides: Any, pads: Any, ceil_mode: bool) -> Array:
    """PyTorch pads symmetrically and by half a kernel at most, so the tensor is padded first.

    Then the windows of ceil mode that begin behind the cells and the padding before them have to go.
    """
    steps = (strides,) * axes if isinstance(strides, int) else strides or (1,) * axes
    sides = (pads,) if isinstance(pads, int) else pads or (0,)
    sides = sides * 2 * axes if len(sides) == 1 else sides * 2 if len(sides) == axes else sides
    around = [side for axis in reversed(range(axes)) for side in (sides[axis], sides[axis + axes])]
    tensor = torch.nn.functional.pad(torch.from_numpy(values), around, value=-torch.inf)
    pooled = {2: torch.nn.functional.max_pool2d}[axes](tensor, kernel_shape, steps, ceil_mode=ceil_mode)
    if ceil_mode:
        counts = [-(-(n + lo) // step) for n, lo, step in zip(values.shape[-axes:], sides, steps, strict=False)]
        pooled = pooled[(..., *map(slice, counts))]
    return np.asarray(pooled)


@pytest.mark.parametrize("operator", FORWARD)
def test_values_are_those_of_pytorch(operator: str) -> None:
    axes, rng = registry.axes_of(operator), np.random.default_rng(SEED)
    for number in range(CALLS):
        shape, window = random_call(rng, axes)
        values = random_array(rng, shape, np.dtype([np.float32, np.float64][number % 2]))
        if number % 5 == 0:
            values[rng.random(shape) < 0.1] = np.nan
        if number % 7 == 0:
            values = np.round(values)  # many ties, and zeros of both signs
        expected = by_pytorch(values, axes, **window)
        actual = getattr(acltwin, operator)(values, **window)
        np.testing.assert_array_equal(actual, expected, err_msg=f"seed {SEED}, call {number}: {shape}, {window}")


@pytest.mark.parametrize("operator", FORWARD)
@pytest.mark.parametrize("dtype", [*OPERATORS["max_pool"].inputs[0].dtypes, "bool", "float64"])
def test_values_are_those_of_the_definition(operator: str, dtype: str) -> None:
    axes, rng = registry.axes_of(operator), np.random.default_rng(SEED)
    for number in range(CALLS // 10):
        shape, window = random_call(rng, axes)
        values = random_array(rng, shape, np.dtype(dtype))
        expected = getattr(reference, operator)(values, **window)
        actual = getattr(acltwin, operator)(values, **window)
        assert actual.dtype == values.dtype
        message = f"seed {SEED}, call {number}: {shape}, {window}"
        np.testing.assert_array_equal(actual, expected.astype(actual.dtype), err_msg=message)


@pytest.mark.parametrize(("dtype", "lowest"), [("int8", -128), ("uint8", 0), ("int64", -(2**63)), ("float16", -np.inf)])
def test_a_window_of_padding_gives_the_lowest_value(dtype: str, lowest: float) -> None:
    values = np.ones((1, 1, 1, 1), dtype)
    padded = acltwin.max_pool(values, (2, 2), (2, 2), (2, 2, 0, 0))
    assert padded.ravel().tolist() == [lowest]
    behind = acltwin.max_pool(np.ones((1, 1, 2, 2), dtype), (2, 2), (2, 2), (0, 0, 2, 2))
    assert behind.ravel().tolist() == [1, lowest, lowest, lowest]
    assert acltwin.max_pool(np.ones((1, 1, 2, 2), dtype), (2, 2), (2, 2), (0, 0, 2, 2), ceil_mode=True).size == 1
