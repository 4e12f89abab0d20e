"""The gradient of 3-D nearest upsampling, from its formula."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from acltwin.reference._upsample import scales_together, upsample_backward
from acltwin.reference.source_table import MapRule


def upsample_nearest3d_backward(
    grad_out: NDArray[np.generic],
    output_size: Sequence[int],
    input_size: Sequence[int],
    scales_d: float | None = 0.0,
    scales_h: float | None = 0.0,
    scales_w: float | None = 0.0,
    *,
    data_format: str = "NCDHW",
    rule: MapRule = "device",
) -> NDArray[np.float64]:
    """Each input cell is the sum of the gradients of its copies, along D, then H, then W."""
    scales = scales_together((scales_d, scales_h, scales_w), rule)
    return upsample_backward(grad_out, input_size, scales, False, data_format == "NDHWC", rule)
