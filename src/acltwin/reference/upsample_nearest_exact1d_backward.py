"""The gradient of 1-D nearest-exact upsampling, from its formula."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from acltwin.reference._upsample import upsample_backward
from acltwin.reference.source_table import MapRule


def upsample_nearest_exact1d_backward(
    grad_output: NDArray[np.generic],
    output_size: Sequence[int],
    input_size: Sequence[int],
    scales: float | None = 0.0,
    *,
    rule: MapRule = "device",
) -> NDArray[np.float64]:
    """Each input cell sums the gradients of its copies."""
    return upsample_backward(grad_output, input_size, (scales,), True, False, rule)
