"""2-D nearest upsampling, from its formula."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.reference._upsample import scales_together, upsample
from acltwin.reference.source_table import MapRule


def upsample_nearest2d(
    input: NDArray[Any],
    output_size: Sequence[int],
    scales_h: float | None = 0.0,
    scales_w: float | None = 0.0,
    *,
    data_format: str = "NCHW",
    rule: MapRule = "device",
) -> NDArray[Any]:
    """Each output cell is a copy of its input cell.

    The device uses both scales, as float32, or none; for float64 and uint8 none.
    """
    scales: Sequence[float | None] = (scales_h, scales_w)
    if rule == "device":
        used = scales_together(scales, rule) if input.dtype not in (np.float64, np.uint8) else (None, None)
        scales = [None if scale is None else float(np.float32(scale)) for scale in used]
    return upsample(input, output_size, scales, False, data_format == "NHWC", rule)
