"""Roundings that are not the documented one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import Array, Facts, facts, rounded

Floats = NDArray[np.float64]


def directed(values: Floats, dtype: Facts, direction: str) -> Array:
    """Rounded to ``dtype`` "toward zero", "ties away", "ties toward zero", "upward", "downward" or "away from zero"."""
    nearest = rounded(values, dtype.dtype)
    back = nearest.astype(np.float64)
    low = np.where(back <= values, back, _neighbour(back, dtype, -1))
    high = np.where(back >= values, back, _neighbour(back, dtype, +1))
    inner, outer = np.where(values >= 0, low, high), np.where(values >= 0, high, low)
    chosen = {
        "toward zero": inner,
        "away from zero": outer,
        "upward": high,
        "downward": low,
        "ties toward zero": np.where(np.abs(values - inner) <= np.abs(outer - values), inner, outer),
        "ties away": np.where(np.abs(values - inner) >= np.abs(outer - values), outer, inner),
    }[direction]
    return rounded(np.where(np.isfinite(values), chosen, values), dtype.dtype)


def narrowed(values: Array, name: str) -> Floats:
    """Rounded to a dtype, or to tf32 (float32 with 11 bits), and widened again."""
    return to_tf32(values) if name == "tf32" else rounded(values, facts(name).dtype).astype(np.float64)


def to_tf32(values: Array, ties: str = "even") -> Floats:
    """Ties "even", "away" from zero or "toward zero"."""
    bits = values.astype(np.float32).view(np.uint32)
    odd = (bits >> np.uint32(13)) & np.uint32(1)
    up = odd if ties == "even" else np.full_like(odd, ties == "away")
    kept = (bits + np.uint32(0xFFF) + up) & np.uint32(0xFFFFE000)
    return np.where(np.isfinite(values), kept.view(np.float32), values).astype(np.float64)


def _neighbour(values: Floats, dtype: Facts, side: int) -> Floats:
    """The next number of the dtype on one side."""
    exponent = np.frexp(np.maximum(np.abs(values), dtype.smallest_normal))[1]
    step = np.ldexp(1.0, exponent - dtype.bits)
    # Just inside a power of two the numbers lie twice as close.
    inward = (np.sign(values) == -side) & (np.abs(values) == np.ldexp(0.5, exponent))
    return np.where(np.isfinite(values), values + side * np.where(inward, step / 2, step), values)
