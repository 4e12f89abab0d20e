"""Which cells of gradOut each cell of gradInput collects along one axis, by both rules."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acltwin.reference.source_table import MapRule, positions, scale_given, source_table


def interval_table(
    in_size: int, out_size: int, scale: float | None, exact: bool, rule: MapRule = "device"
) -> NDArray[np.int64]:
    """Positions ``b[0..in_size]``: gradInput cell i collects the gradOut cells ``b[i]`` to ``b[i + 1] - 1``."""
    if rule == "device":
        with np.errstate(all="ignore"):  # absurd scales may overflow, and 0 * inf is NaN
            return _device_table(in_size, out_size, scale, exact)
    # The cells of i are those whose source is i; the source never falls.
    source = _torch_source(in_size, out_size, scale, exact)
    return np.searchsorted(source, np.arange(in_size + 1)).astype(np.int64)


def _torch_source(in_size: int, out_size: int, scale: float | None, exact: bool) -> NDArray[np.int64]:
    """PyTorch's forward pass, but for two sizes its nearest gradient does not look at a given scale."""
    if not exact and out_size == in_size:
        return np.arange(out_size)
    if not exact and out_size == 2 * in_size:
        return np.arange(out_size) >> 1
    return source_table(in_size, out_size, scale, exact, "torch")


def _device_table(in_size: int, out_size: int, scale: float | None, exact: bool) -> NDArray[np.int64]:
    s = np.float32(scale) if scale is not None and scale_given(scale) else np.float32(out_size) / np.float32(in_size)
    begin = np.arange(in_size + 1).astype(np.float32) * s
    if exact:
        begin = begin - np.float32(0.5)
    return positions(np.ceil(begin), out_size)
