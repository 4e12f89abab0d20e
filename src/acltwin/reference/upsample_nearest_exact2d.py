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
    """Each output cell is a copy of its input cell; each scale counts on its own.

    Where the size stays, the device copies, whatever the scale.
    """

    def fixed_step(in_size: int, out_size: int) -> float | None:
        return 1.0 if rule == "device" and in_size == out_size else None

    return upsample(input, output_size, (scales_h, scales_w), True, data_format == "NHWC", rule, fixed_step)
