"""What the references of the upsamplings and their gradients share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.reference._planes import widened
from acltwin.reference.interval_table import interval_table
from acltwin.reference.source_table import MapRule, scale_given, source_table

FixedStep = Callable[[int, int], float | None]
"""From an input and an output size to the step between the input cells of neighbouring output cells."""


def upsample(
    input: NDArray[Any],
    output_size: Sequence[int],
    scales: Sequence[float | None],
    exact: bool,
    channels_last: bool,
    rule: MapRule,
    fixed_step: FixedStep = lambda _, __: None,
) -> NDArray[Any]:
    """Along each axis, every output cell takes its input cell.

    ``fixed_step`` tells for which sizes there is a step that does not follow from the scale.
    """
    result = widened(input)
    for axis, (size, scale) in enumerate(zip(output_size, scales, strict=True), start=1 if channels_last else 2):
        step = fixed_step(result.shape[axis], size)
        result = result.take(source_table(result.shape[axis], size, scale, exact, rule, step), axis)
    return result


def scales_together(scales: Sequence[float | None], rule: MapRule) -> Sequence[float | None]:
    """The 3-D operators of the device use the scales only if all three are given."""
    return scales if rule == "torch" or all(map(scale_given, scales)) else (None, None, None)


def collect(grad: NDArray[np.float64], axis: int, table: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sums along one axis: cell i of the result is 0.0 plus the cells ``table[i]`` to ``table[i + 1] - 1``."""
    slices = np.moveaxis(grad, axis, 0)
    with np.errstate(invalid="ignore"):  # infinities of both signs may meet
        cells = [slices[begin:end].sum(0, initial=0.0) for begin, end in pairwise(table)]
    return np.moveaxis(np.stack(cells), 0, axis)


def upsample_backward(
    grad_out: NDArray[np.generic],
    input_size: Sequence[int],
    scales: Sequence[float | None],
    exact: bool,
    channels_last: bool,
    rule: MapRule,
) -> NDArray[np.float64]:
    """The gradients. The sizes of ``grad_out`` itself count, as ``output_size`` repeats them."""
    grad = grad_out.astype(np.float64)
    sizes = list(input_size)[2:]
    if channels_last:
        grad = np.moveaxis(grad, -1, 1)
        if tuple(input_size)[:2] != grad.shape[:2]:  # the other order: C last
            sizes = list(input_size)[1:-1]
    for axis, (size, scale) in enumerate(zip(sizes, scales, strict=True), start=2):
        grad = collect(grad, axis, interval_table(size, grad.shape[axis], scale, exact, rule))
    return np.moveaxis(grad, 1, -1) if channels_last else grad
