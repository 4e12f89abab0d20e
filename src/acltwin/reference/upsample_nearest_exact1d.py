"""1-D nearest-exact upsampling, from its formula."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from acltwin.reference._upsample import upsample
from acltwin.reference.source_table import MapRule


def upsample_nearest_exact1d(
    input: NDArray[Any],
    output_size: Sequence[int],
    scales: float | None = 0.0,
    *,
    data_format: str = "NCL",
    rule: MapRule = "device",
) -> NDArray[Any]:
    """Each output cell is a copy of the input cell under its centre."""
    return upsample(input, output_size, (scales,), True, data_format == "NLC", rule)
