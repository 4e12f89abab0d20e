"""The gradient of 1-D nearest upsampling, from its formula."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from acltwin.reference._upsample import upsample_backward
from acltwin.reference.source_table import MapRule, scale_given


def upsample_nearest1d_backward(
    grad_out: NDArray[np.generic],
    output_size: Sequence[int],
    input_size: Sequence[int],
    scales: float | None = 0.0,
    *,
    data_format: str = "NCL",
    rule: MapRule = "device",
) -> NDArray[np.float64]:
    """Each input cell sums the gradients of its copies. The device ignores a scale that does not fit the sizes."""
    last = data_format == "NLC"
    size = (
        input_size[1]
        if last and (input_size[0], input_size[1]) != (grad_out.shape[0], grad_out.shape[2])
        else input_size[2]
    )
    used = scales
    if rule == "device" and scales is not None and scale_given(scales):
        used = scales if math.isfinite(scales) and math.floor(size * scales) == output_size[0] else None
    return upsample_backward(grad_out, input_size, (used,), False, last, rule)
