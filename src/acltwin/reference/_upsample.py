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

SMALL_IMAGE = 128
"""H + W of the largest output that PyTorch, and the device after it, take for a small image."""


def is_small_image(output_size: Sequence[int]) -> bool:
    return len(output_size) == 2 and sum(output_size) <= SMALL_IMAGE


def upsample(
    input: NDArray[Any],
    output_size: Sequence[int],
    scales: Sequence[float | None],
    exact: bool,
    channels_last: bool,
    rule: MapRule,
) -> NDArray[Any]:
    """Along each axis, every output cell takes its input cell."""
    result = widened(input)
    fused, factors = not is_small_image(output_size), ignored_factors(input, output_size, exact, channels_last, rule)
    for axis, (size, scale) in enumerate(zip(output_size, scales, strict=True), start=1 if channels_last else 2):
        before = result.shape[axis]
        used = None if size in [factor * before for factor in factors] else scale
        result = result.take(source_table(before, size, used, exact, rule, fused), axis)
    return result


def ignored_factors(
    input: NDArray[Any], output_size: Sequence[int], exact: bool, channels_last: bool, rule: MapRule
) -> tuple[int, ...]:
    """The factors between two sizes of a forward pass for which a given scale does not matter: shortcuts for images."""
    if len(output_size) != 2:
        return ()
    if exact:
        return (1,) if rule == "device" else ()
    if is_small_image(output_size):
        return (1, 2)
    if rule == "torch":
        return ()
    return (1, 2) if channels_last and input.shape[1] > 3 else (1,)


def scales_together(scales: Sequence[float | None], rule: MapRule) -> Sequence[float | None]:
    """Some operators of the device use the scales only if all of them are given."""
    return scales if rule == "torch" or all(map(scale_given, scales)) else [None] * len(scales)


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
    channels_last_in_size: bool = False,
) -> NDArray[np.float64]:
    """The gradients. The sizes of ``grad_out`` itself count, as ``output_size`` repeats them.

    Of channels-last tensors ``input_size`` may have its C at either place. Where both would fit,
    ``channels_last_in_size`` says which one the operator reads.
    """
    grad = grad_out.astype(np.float64)
    sizes = list(input_size)[2:]
    if channels_last:
        grad = np.moveaxis(grad, -1, 1)
        fits, fits_last = ((input_size[0], input_size[c]) == grad.shape[:2] for c in (1, -1))
        if fits_last and (channels_last_in_size or not fits):
            sizes = list(input_size)[1:-1]
    for axis, (size, scale) in enumerate(zip(sizes, scales, strict=True), start=2):
        grad = collect(grad, axis, interval_table(size, grad.shape[axis], scale, exact, rule))
    return np.moveaxis(grad, 1, -1) if channels_last else grad
