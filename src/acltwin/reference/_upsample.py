"""Nearest and nearest-exact upsampling and their gradients, from their formulas."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.reference._planes import channels_first, restored, widened
from acltwin.reference.interval_table import interval_table
from acltwin.reference.source_table import MapRule, scale_given, source_table

Scales = Sequence[float | None]

SMALL_IMAGE = 128
"""H + W of the largest output that PyTorch, and the device after it, take for a small image."""


def is_small_image(output_size: Sequence[int]) -> bool:
    return len(output_size) == 2 and sum(output_size) <= SMALL_IMAGE


def given_scales(axes: int, by_position: Scales, by_name: Mapping[str, float | None]) -> list[float | None]:
    """One for each axis; ``None`` where none is given."""
    given = [*by_position, *[None] * axes][:axes]
    for name, scale in by_name.items():
        given["dhw"[-axes:].index(name[-1]) if axes > 1 else 0] = scale
    return given


def _forward(
    exact: bool,
    together: bool,
    narrow: bool,
    input: NDArray[Any],
    output_size: Sequence[int],
    *scales: float | None,
    data_format: str = "",
    rule: MapRule = "device",
    **named: float | None,
) -> NDArray[Any]:
    """Along each axis, every output cell takes its input cell."""
    used = given_scales(len(output_size), scales, named)
    if together:
        used = scales_together(used, rule)
    if narrow and rule == "device":
        ignored = input.dtype in (np.float64, np.uint8)
        used = [None if ignored or scale is None else float(np.float32(scale)) for scale in used]
    result, last = widened(input), data_format.endswith("C")
    fused, factors = not is_small_image(output_size), ignored_factors(input, output_size, exact, last, rule)
    for axis, (size, scale) in enumerate(zip(output_size, used, strict=True), start=1 if last else 2):
        before = result.shape[axis]
        known = None if size in [factor * before for factor in factors] else scale
        result = result.take(source_table(before, size, known, exact, rule, fused), axis)
    return result


def upsample(exact: bool = False, *, together: bool = False, narrow: bool = False) -> Callable[..., NDArray[Any]]:
    """``together``: the device uses all scales or none. ``narrow``: as float32, and for float64 and uint8 none."""
    return partial(_forward, exact, together, narrow)


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


def scales_together(scales: list[float | None], rule: MapRule) -> list[float | None]:
    """Some operators of the device use the scales only if all of them are given."""
    return scales if rule == "torch" or all(map(scale_given, scales)) else [None] * len(scales)


def collect(grad: NDArray[np.float64], axis: int, table: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sums along one axis: cell i of the result is 0.0 plus the cells ``table[i]`` to ``table[i + 1] - 1``."""
    slices = np.moveaxis(grad, axis, 0)
    with np.errstate(invalid="ignore"):  # infinities of both signs may meet
        cells = [slices[begin:end].sum(0, initial=0.0) for begin, end in pairwise(table)]
    return np.moveaxis(np.stack(cells), 0, axis)


def _backward(
    exact: bool,
    together: bool,
    fit: bool,
    channels_last_in_size: bool,
    grad_out: NDArray[np.generic],
    output_size: Sequence[int],
    input_size: Sequence[int],
    *scales: float | None,
    data_format: str = "",
    rule: MapRule = "device",
    **named: float | None,
) -> NDArray[np.float64]:
    """Along D, then H, then W, each input cell sums the gradients of its copies.

    The sizes of ``grad_out`` itself count, as ``output_size`` repeats them. Of channels-last tensors ``input_size`` may
    have its C at either place. Where both would fit, ``channels_last_in_size`` says which one the operator reads.
    """
    grad, sizes = channels_first(grad_out.astype(np.float64), data_format), list(input_size)[2:]
    if data_format.endswith("C"):
        fits, fits_last = ((input_size[0], input_size[c]) == grad.shape[:2] for c in (1, -1))
        if fits_last and (channels_last_in_size or not fits):
            sizes = list(input_size)[1:-1]
    used = given_scales(len(sizes), scales, named)
    if together:
        used = scales_together(used, rule)
    if fit and rule == "device":
        used = [s if _fits(s, n, o) else None for s, n, o in zip(used, sizes, output_size, strict=True)]
    for axis, (size, scale) in enumerate(zip(sizes, used, strict=True), start=2):
        grad = collect(grad, axis, interval_table(size, grad.shape[axis], scale, exact, rule))
    return restored(grad, data_format)


def _fits(scale: float | None, size: int, out: int) -> bool:
    return scale is not None and scale_given(scale) and math.isfinite(scale) and math.floor(size * scale) == out


def upsample_backward(
    exact: bool = False, *, together: bool = False, fit: bool = False, channels_last_in_size: bool = False
) -> Callable[..., NDArray[np.float64]]:
    """``fit``: the device ignores scales that do not fit the sizes."""
    return partial(_backward, exact, together, fit, channels_last_in_size)
