"""Masks, labels and scans on JAX: integers and bool are copied and compared, also in a compiled program."""

from __future__ import annotations

import numpy as np
import pytest

import acltwin
from support.lazy import acltwin_jax as twin
from support.lazy import jax, jnp


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "uint16", "int32", "int64", "bool"])
def test_every_bit_is_copied(dtype: str, rng: np.random.Generator) -> None:
    cells = rng.integers(0, 2 if dtype == "bool" else 128, (2, 3, 5, 7)).astype(dtype)
    expected = acltwin.upsample_nearest2d(cells, (9, 20))
    for function in (twin.upsample_nearest2d, jax.jit(twin.upsample_nearest2d, static_argnums=1)):
        result = function(jnp.asarray(cells), (9, 20))
        assert result.dtype == dtype
        assert np.array_equal(result, expected)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "uint16", "int32", "int64", "bool"])
def test_the_maxima(dtype: str, rng: np.random.Generator) -> None:
    cells = rng.integers(0, 2 if dtype == "bool" else 128, (2, 3, 5, 7)).astype(dtype)
    expected = acltwin.max_pool2d_with_indices(cells, 3, 2, 1)
    pool = twin.max_pool2d_with_indices
    for function in (pool, jax.jit(pool, static_argnums=(1, 2, 3)), jax.vmap(pool, in_axes=(0, None, None, None))):
        maxima, indices = function(jnp.asarray(cells), 3, 2, 1)
        assert maxima.dtype == dtype
        assert np.array_equal(maxima, expected[0])
        assert np.array_equal(indices, expected[1])
