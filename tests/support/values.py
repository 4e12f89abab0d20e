"""Dtypes, random values and comparisons of bits."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
FLOATS = (np.dtype(np.float32), np.dtype(np.float16), np.dtype(np.float64), BFLOAT16)
INTEGERS = tuple(np.dtype(name) for name in ("int8", "uint8", "int16", "int32", "int64"))
PERIOD = 32_749  # a prime
BITS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def sum_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type that sums of this one are kept in."""
    return np.dtype(np.float64) if dtype == np.float64 else np.dtype(np.float32)


def random_array(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Signed values of many magnitudes, some of them zeros of both signs; any bits for the integers.

    Making them takes longer than any kernel, so large arrays repeat theirs, never at the same place of a row."""
    if math.prod(shape) > PERIOD:
        return np.resize(random_array(rng, (PERIOD,), dtype), shape)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    precision = np.float64 if dtype == np.float64 else np.float32
    values = rng.standard_normal(shape, precision)
    values *= np.exp2(rng.integers(-6, 3, shape, np.int8), dtype=np.float32)
    values[rng.random(shape, np.float32) < 0.05] = -0.0
    return values.astype(dtype)


def random_integers(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Whole numbers so small that no order of their additions rounds."""
    most = 2 if dtype.itemsize == 2 else 1000
    return rng.integers(-most, most, shape, endpoint=True).astype(dtype)


def random_bits(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Any pattern of bits, NaNs with payloads among them."""
    count = int(np.prod(shape)) * dtype.itemsize
    return np.frombuffer(bytearray(rng.bytes(count)), dtype).reshape(shape)


def random_specials(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Random values, one in ten of them any pattern of bits, an infinity or a NaN."""
    values = random_array(rng, shape, dtype)
    for special in (random_bits(rng, shape, dtype), np.inf, -np.inf, np.nan):
        chosen = rng.random(shape) < 0.025
        values[chosen] = special[chosen] if isinstance(special, np.ndarray) else special
    return values


def with_one_nan(array: Array) -> Array:
    """The same values, every NaN with the same bits."""
    with np.errstate(invalid="ignore"):  # ml_dtypes compares signalling NaNs
        return np.where(np.isnan(array), np.array(np.nan, array.dtype), array)


def bits(array: Array) -> Array:
    return np.ascontiguousarray(array).view(BITS[array.dtype.itemsize])


def assert_same_bits(actual: Array, expected: Array, what: object = "") -> None:
    assert actual.dtype == expected.dtype, what
    assert actual.shape == expected.shape, what
    different = bits(actual) != bits(expected)
    if different.any():
        place = tuple(int(n) for n in np.argwhere(different)[0])
        raise AssertionError(
            f"{np.count_nonzero(different)} of {different.size} values differ; the first, at {place}, "
            f"is {actual[place]!r}, expected {expected[place]!r}; {what}"
        )
