"""Linear and cubic resampling and their gradients, from their formulas: each axis is a matrix of weights.

Where a cell lies is computed as the operators compute it, in float32 or for PyTorch's float64 tensors in float64; the
weights follow from that in float64. The device's rules are those of the default SoC.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.reference._average import Matrix, along_axes
from acltwin.reference._planes import channels_first, restored
from acltwin.reference._upsample import Scales, given_scales
from acltwin.reference.source_table import MapRule, scale_given


def _fused(step: Any, centre: Any, real: Any) -> Any:
    """A multiply-add with one rounding: float64 holds the exact product of float32, and long doubles nearly do."""
    wide = np.float64 if real is np.float32 else np.longdouble
    return real(wide(step) * wide(centre) - wide(0.5))


def _step(n: int, out: int, align_corners: bool, scale: float | None, real: Any) -> Any:
    if align_corners:
        return real(n - 1) / real(out - 1) if out > 1 else real(0)
    return real(1.0 / scale) if scale is not None and scale_given(scale) else real(n) / real(out)


def _cubic(x: float, a: float) -> float:
    x = abs(x)
    if x <= 1:
        return ((a + 2) * x - (a + 3)) * x * x + 1
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a if x < 2 else 0.0


def _matrix(n: int, out: int, filter: str, align_corners: bool, scale: float | None, real: Any, fused: bool) -> Matrix:
    step, matrix = _step(n, out, align_corners, scale, real), np.zeros((out, n))
    antialias, radius = filter.endswith("_aa"), 2 if filter.startswith("cubic") else 1
    for o in range(out):
        centre = real(o) + real(0.5)
        if antialias:
            middle, wide = step * centre, max(step, real(1))
            support, inverse = real(radius) * wide, real(1) / wide
            first, last = int(max(middle - support + real(0.5), 0)), int(min(middle + support + real(0.5), n))
            for i in range(first, last):
                x = float((real(i) - middle + real(0.5)) * inverse)
                matrix[o, i] = _cubic(x, -0.5) if radius == 2 else max(0.0, 1 - abs(x))
            matrix[o] /= matrix[o].sum()
            continue
        place = (
            step * real(o) if align_corners else (_fused(step, centre, real) if fused else step * centre - real(0.5))
        )
        if radius == 1:
            place = max(place, real(0))
        cell = min(math.floor(np.float32(place)), n - 1)
        part = float(np.clip(place - real(cell), 0, 1))
        rest = float(real(1) - real(part))
        weights = [rest, part] if radius == 1 else [_cubic(part + 1 - k, -0.75) for k in range(4)]
        for k, weight in enumerate(weights, cell - (radius - 1)):
            matrix[o, min(max(k, 0), n - 1)] += weight
    return matrix


def _used_scales(
    rule: MapRule, policy: str, scales: Scales, sizes: Sequence[int], outs: Sequence[int], last: bool
) -> Scales:
    """What the device makes of scales: ``each``, those that ``fit``, ``all`` or none, all that fit or none."""
    given = [scale is not None and scale_given(scale) for scale in scales]
    fit = [g and math.floor(n * s) == o for g, s, n, o in zip(given, scales, sizes, outs, strict=True)]  # type: ignore[operator]
    if rule == "torch" or policy == "each":
        return scales
    if policy == "fit":
        return [s if f else None for s, f in zip(scales, fit, strict=True)]
    if policy == "all":
        return scales if all(given) else [None] * len(scales)
    return scales if all(fit) and not last else [None] * len(scales)


def _matrices(
    tensor: NDArray[Any],
    sizes: Sequence[int],
    outs: Sequence[int],
    filter: str,
    align_corners: bool,
    scales: Scales,
    copies: bool,
    rule: MapRule,
) -> list[Matrix]:
    real = np.float64 if rule == "torch" and tensor.dtype == np.float64 else np.float32
    copying = copies or (rule == "torch" and filter != "cubic")
    with np.errstate(all="ignore"):
        return [
            np.eye(n) if n == out and copying else _matrix(n, out, filter, align_corners, s, real, rule == "torch")
            for n, out, s in zip(sizes, outs, scales, strict=True)
        ]


def _forward(
    filter: str,
    policy: str,
    input: NDArray[Any],
    output_size: Sequence[int],
    align_corners: bool = False,
    *scales: float | None,
    data_format: str = "",
    rule: MapRule = "device",
    **named: float | None,
) -> NDArray[np.float64]:
    """Along each axis, every output cell is the sum of input cells times their weights."""
    source, axes = channels_first(input, data_format), len(output_size)
    sizes, last = source.shape[-axes:], data_format.endswith("C")
    given = given_scales(axes, scales, named)
    used = _used_scales(rule, policy, given, sizes, output_size, last)
    copies = rule == "device" or filter != "cubic"
    matrices = _matrices(source, sizes, output_size, filter, align_corners, used, copies, rule)
    return restored(along_axes(source, matrices), data_format)


def _backward(
    filter: str,
    policy: str,
    grad_out: NDArray[Any],
    output_size: Sequence[int],
    input_size: Sequence[int],
    align_corners: bool = False,
    *scales: float | None,
    data_format: str = "",
    rule: MapRule = "device",
    **named: float | None,
) -> NDArray[np.float64]:
    """The transposed matrices."""
    grad, axes = channels_first(grad_out, data_format), len(output_size)
    in_order = data_format.endswith("C") and tuple(input_size[:2]) != grad.shape[:2]
    sizes = input_size[1:-1] if in_order else input_size[2:]
    given = given_scales(axes, scales, named)
    used = _used_scales(rule, policy, given, sizes, output_size, False)
    copies = filter.endswith("_aa") or (filter == "cubic" and tuple(sizes) == tuple(output_size))
    matrices = _matrices(grad, sizes, output_size, filter, align_corners, used, copies, rule)
    return restored(along_axes(grad, [matrix.T for matrix in matrices]), data_format)


def resample(filter: str, policy: str = "each") -> Callable[..., NDArray[np.float64]]:
    return partial(_forward, filter, policy)


def resample_backward(filter: str, policy: str = "each") -> Callable[..., NDArray[np.float64]]:
    return partial(_backward, filter, policy)
