"""Sizes as PyTorch takes them: one number for all axes, or a factor, through every function for arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin.ops import OPERATORS
from support import registry
from support.lazy import acltwin_dask, acltwin_jax, da, functional, jnp, torch
from support.messages import explains
from support.values import assert_same_bits

FORWARD = registry.names(is_gradient=False, family="upsample")
EVERY = pytest.mark.parametrize("operator", FORWARD)


def image(operator: str, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    return rng.standard_normal((2, 3, *rng.integers(1, 9, len(OPERATORS[operator].axes)))).astype(np.float32)


@EVERY
def test_factors_as_pytorch_takes_them(operator: str, rng: np.random.Generator) -> None:
    spec, function = OPERATORS[operator], getattr(acltwin, operator)
    for _ in range(20):
        cells = image(operator, rng)
        factors: Any = rng.uniform(1, 4, len(spec.axes)).tolist()
        for factor in (factors, float(factors[0]), int(factors[0])):
            expected = functional.interpolate(torch.from_numpy(cells), scale_factor=factor, mode=spec.mode).numpy()
            assert_same_bits(function(cells, scale_factor=factor, rule="torch"), expected, str(factor))
            last = np.ascontiguousarray(np.moveaxis(cells, 1, -1))
            turned = function(last, scale_factor=factor, rule="torch", data_format=spec.array_formats[1])
            assert_same_bits(np.ascontiguousarray(np.moveaxis(turned, -1, 1)), expected, str(factor))


@EVERY
def test_one_size_for_all_axes(operator: str, rng: np.random.Generator) -> None:
    cells = image(operator, rng)
    expected = getattr(acltwin, operator)(cells, (7,) * len(OPERATORS[operator].axes))
    assert_same_bits(getattr(acltwin, operator)(cells, 7), expected)
    assert_same_bits(np.asarray(getattr(acltwin_jax, operator)(jnp.asarray(cells), 7)), expected)
    assert_same_bits(getattr(acltwin_dask, operator)(da.from_array(cells, -1), 7).compute(), expected)


@EVERY
def test_factors_in_frameworks(operator: str, rng: np.random.Generator) -> None:
    cells = image(operator, rng)
    expected = getattr(acltwin, operator)(cells, scale_factor=1.5)
    assert_same_bits(np.asarray(getattr(acltwin_jax, operator)(jnp.asarray(cells), scale_factor=1.5)), expected)
    assert_same_bits(getattr(acltwin_dask, operator)(da.from_array(cells, -1), scale_factor=1.5).compute(), expected)


@EVERY
def test_wrong_sizes_are_refused(operator: str, rng: np.random.Generator) -> None:
    cells, function = image(operator, rng), getattr(acltwin, operator)
    axes = len(OPERATORS[operator].axes)
    for factor in (0, -1.0, float("nan"), "2", (2.0,) * (axes + 1)):
        with pytest.raises(ValueError, match=r"scale_factor is .*, expected a number above 0"):
            function(cells, scale_factor=factor)
    with pytest.raises(ValueError, match="scale_factor and output_size are both given"):
        function(cells, (4,) * axes, scale_factor=2)
    with pytest.raises(ValueError, match="scale_factor and scales are both given"):
        function(cells, None, *(2.0,) * axes, scale_factor=2)
    with explains(ValueError, operator, "dimensions"):
        function(cells[0, 0], scale_factor=2)
    with explains(TypeError, operator, "input"):
        function(None, scale_factor=2)
    with explains(ValueError, operator, "output_size"):
        function(cells)
