"""2-D nearest-exact upsampling, from its formula."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from acltwin.reference._upsample import upsample
from acltwin.reference.source_table import MapRule


def upsample_nearest_exact2d(
    input: NDArray[Any],
    output_size: Sequence[int],
    scales_h: float | None = 0.0,
    scales_w: float | None = 0.0,
    *,
    data_format: str = "NCHW",
    rule: MapRule = "device",
) -> NDArray[Any]:
    """Each output cell is a copy of its input cell."""
    return upsample(input, output_size, (scales_h, scales_w), True, data_format == "NHWC", rule)
