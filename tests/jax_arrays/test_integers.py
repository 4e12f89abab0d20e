"""Masks, labels and scans on JAX: integers and bool are copied, alone and in a compiled program."""

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
