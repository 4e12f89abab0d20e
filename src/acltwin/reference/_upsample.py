"""What the references of the upsamplings and their gradients share."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.reference._planes import widened
from acltwin.reference.interval_table import interval_table
from acltwin.reference.source_table import MapRule, scale_given, source_table


def upsample(
    input: NDArray[Any],
    output_size: Sequence[int],
    scales: Sequence[float | None],
    exact: bool,
    channels_last: bool,
    rule: MapRule,
) -> NDArray[Any]:
    """All three operators: along each axis, every output cell takes its input cell."""
    result = widened(input)
    if len(output_size) == 3:
        scales = scales_together(scales, rule)
    for axis, (size, scale) in enumerate(zip(output_size, scales, strict=True), start=1 if channels_last else 2):
        result = result.take(source_table(result.shape[axis], size, scale, exact, rule), axis)
    return result


def scales_together(scales: Sequence[float | None], rule: MapRule) -> Sequence[float | None]:
    """The 3-D operators of the device use the scales only if all three are given."""
    return scales if rule == "torch" or all(map(scale_given, scales)) else (None, None, None)


def collect(grad: NDArray[np.float64], axis: int, table: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sums along one axis: cell i of the result is the sum of the cells ``table[i]`` to ``table[i + 1] - 1``."""
    slices = np.moveaxis(grad, axis, 0)
    with np.errstate(invalid="ignore"):  # infinities of both signs may meet
        cells = [slices[begin:end].sum(0) for begin, end in pairwise(table)]
    return np.moveaxis(np.stack(cells), 0, axis)


def upsample3d_backward(
    grad_out: NDArray[np.generic],
    input_size: Sequence[int],
    scales: Sequence[float | None],
    exact: bool,
    data_format: str,
    rule: MapRule,
) -> NDArray[np.float64]:
    """Both 3-D gradients. The sizes of ``grad_out`` itself count, as ``output_size`` repeats them."""
    grad = grad_out.astype(np.float64)
    sizes = list(input_size)[2:]
    if data_format == "NDHWC":
        grad = np.moveaxis(grad, 4, 1)
        if tuple(input_size)[:2] != grad.shape[:2]:  # the document's order: N, D, H, W, C
            sizes = list(input_size)[1:4]
    scales = scales_together(scales, rule)
    for axis, (size, scale) in enumerate(zip(sizes, scales, strict=True), start=2):
        grad = collect(grad, axis, interval_table(size, grad.shape[axis], scale, exact, rule))
    return np.moveaxis(grad, 1, 4) if data_format == "NDHWC" else grad
