"""Which cells of gradOut each cell of gradInput collects along one axis, by both rules."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

MapRule = Literal["device", "torch"]


def scale_given(scale: float | None) -> bool:
    """0, None, NaN, negative scales and those that underflow to 0 in float32 mean: not given."""
    with np.errstate(all="ignore"):
        return scale is not None and bool(np.float32(scale) > 0)


def interval_table(
    in_size: int, out_size: int, scale: float | None, exact: bool, rule: MapRule = "device"
) -> NDArray[np.int64]:
    """Positions ``b[0..in_size]``: gradInput cell i collects the gradOut cells ``b[i]`` to ``b[i + 1] - 1``."""
    with np.errstate(all="ignore"):  # absurd scales may overflow, and 0 * inf is NaN
        if rule == "device":
            return _device_table(in_size, out_size, scale, exact)
        source = _torch_source(in_size, out_size, scale, exact)
    # The cells of i are those whose source is i; the source never falls.
    return np.searchsorted(source, np.arange(in_size + 1)).astype(np.int64)


def _device_table(in_size: int, out_size: int, scale: float | None, exact: bool) -> NDArray[np.int64]:
    s = np.float32(scale) if scale is not None and scale_given(scale) else np.float32(out_size) / np.float32(in_size)
    begin = np.arange(in_size + 1).astype(np.float32) * s
    if exact:
        begin = begin - np.float32(0.5)
    return _positions(np.ceil(begin), out_size)


def _torch_source(in_size: int, out_size: int, scale: float | None, exact: bool) -> NDArray[np.int64]:
    """For each gradOut cell the gradInput cell that PyTorch's CPU kernels took it from."""
    o = np.arange(out_size)
    t = (
        np.float32(1.0 / scale)
        if scale is not None and scale_given(scale)
        else np.float32(in_size) / np.float32(out_size)
    )
    if exact:
        return _positions(np.floor(((o + 0.5) * np.float64(t)).astype(np.float32)), in_size - 1)
    if out_size == in_size:
        return o
    if out_size == 2 * in_size:
        return o >> 1
    return _positions(np.floor(o.astype(np.float32) * t), in_size - 1)


def _positions(values: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
    """Whole float32 values as positions from 0 to ``limit``; NaN is the position 0 it came from."""
    return np.clip(np.nan_to_num(values.astype(np.float64), nan=0.0), 0, limit).astype(np.int64)
