"""1-D nearest upsampling, from its formula."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.reference._upsample import upsample
from acltwin.reference.source_table import MapRule


def upsample_nearest1d(
    input: NDArray[Any],
    output_size: Sequence[int],
    scales: float | None = 0.0,
    *,
    data_format: str = "NCL",
    rule: MapRule = "device",
) -> NDArray[Any]:
    """Each output cell is a copy of its input cell. The device uses the scale as float32; not for float64 and uint8."""
    scale = scales
    if rule == "device":
        used = None if input.dtype in (np.float64, np.uint8) else scales
        scale = None if used is None else float(np.float32(used))
    return upsample(input, output_size, (scale,), False, data_format == "NLC", rule)
