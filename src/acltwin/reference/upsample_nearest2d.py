"""2-D nearest upsampling, from its formula."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.reference._upsample import upsample
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
    """Each output cell is a copy of its input cell; each scale counts on its own, by the device rule as a float32.

    Where the size stays or doubles, some kernels ignore the scale.
    """
    small, device = sum(output_size) <= 128, rule == "device"
    halves = small or (device and data_format == "NHWC" and input.shape[1] > 3)

    def fixed_step(in_size: int, out_size: int) -> float | None:
        if in_size == out_size and (small or device):
            return 1.0
        return 0.5 if out_size == 2 * in_size and halves else None

    scales = [float(np.float32(scale)) if device and scale else scale for scale in (scales_h, scales_w)]
    return upsample(input, output_size, scales, False, data_format == "NHWC", rule, fixed_step)
