"""What the references of the upsample gradients share."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from acltwin.reference.interval_table import MapRule, interval_table, scale_given


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
    """Both 3-D operators. The sizes of ``grad_out`` itself count, as ``output_size`` repeats them."""
    grad = grad_out.astype(np.float64)
    sizes = list(input_size)[2:]
    if data_format == "NDHWC":
        grad = np.moveaxis(grad, 4, 1)
        if tuple(input_size)[:2] != grad.shape[:2]:  # the document's order: N, D, H, W, C
            sizes = list(input_size)[1:4]
    if rule == "device" and not all(map(scale_given, scales)):
        scales = (None, None, None)
    for axis, (size, scale) in enumerate(zip(sizes, scales, strict=True), start=2):
        grad = collect(grad, axis, interval_table(size, grad.shape[axis], scale, exact, rule))
    return np.moveaxis(grad, 1, 4) if data_format == "NDHWC" else grad
