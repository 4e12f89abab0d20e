"""Which input cell each output cell of an upsampling copies along one axis, by both rules."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

MapRule = Literal["device", "torch"]


def scale_given(scale: float | None) -> bool:
    """0, None, NaN, negative scales and those that underflow to 0 in float32 mean: not given."""
    with np.errstate(all="ignore"):
        return scale is not None and bool(np.float32(scale) > 0)


def source_table(
    in_size: int, out_size: int, scale: float | None, exact: bool, rule: MapRule = "device", fused: bool = False
) -> NDArray[np.int64]:
    """Positions ``from[0..out_size - 1]``: output cell o copies input cell ``from[o]``.

    ``fused``: of PyTorch's two kernels the one that goes axis by axis, with fused multiply-add. The other one, for
    small images, looks up every cell on its own.
    """
    with np.errstate(all="ignore"):  # absurd scales may overflow, and 0 * inf is NaN
        if scale is not None and scale_given(scale):
            t = np.float32(1.0 / scale)
        else:
            t = np.float32(in_size) / np.float32(out_size)
        if rule == "device" or not exact:
            return _device_source(in_size, out_size, t, exact)
        return _torch_exact_source(in_size, out_size, t, fused)


def _device_source(in_size: int, out_size: int, t: np.float32, exact: bool) -> NDArray[np.int64]:
    """float32 throughout; every operation rounds."""
    o = np.arange(out_size).astype(np.float32)
    if exact:
        o = o + np.float32(0.5)
    return positions(np.floor(o * t), in_size - 1)


def _torch_exact_source(in_size: int, out_size: int, t: np.float32, fused: bool) -> NDArray[np.int64]:
    """A float64 product, rounded to float32; or x = t * (o + 0.5) - 0.5 with one rounding, and x + 0.5 with another.

    In float64 that x is exact wherever it is not negative.
    """
    places = (np.arange(out_size) + 0.5) * np.float64(t)
    if fused:
        places = np.maximum((places - 0.5).astype(np.float32), 0).astype(np.float64) + 0.5
    return positions(np.floor(places.astype(np.float32)), in_size - 1)


def positions(values: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
    """Whole float32 values as positions from 0 to ``limit``; NaN is the position 0 it came from."""
    return np.clip(np.nan_to_num(values.astype(np.float64), nan=0.0), 0, limit).astype(np.int64)
