"""The gradient of 2-D nearest upsampling, from its formula."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from acltwin.reference._upsample import upsample_backward
from acltwin.reference.source_table import MapRule


def upsample_nearest2d_backward(
    grad_out: NDArray[np.generic],
    output_size: Sequence[int],
    input_size: Sequence[int],
    scales_h: float | None = 0.0,
    scales_w: float | None = 0.0,
    *,
    data_format: str = "NCHW",
    rule: MapRule = "device",
) -> NDArray[np.float64]:
    """Each input cell is the sum of the gradients of its copies, along H, then W; each scale counts on its own."""
    scales, last = (scales_h, scales_w), data_format == "NHWC"
    return upsample_backward(grad_out, input_size, scales, False, last, rule, channels_last_in_size=True)
