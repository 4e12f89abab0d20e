"""The drop-in function that resamples, in every mode."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from acltwin.ops import OPERATORS
from acltwin.torch._drop_in import PYTORCH, DropIn, cached, per_axis
from acltwin.torch._plain import is_plain
from acltwin.torch._pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d

_RESAMPLE: dict[tuple[str, int, bool], DropIn] = {
    (spec.mode, len(spec.axes) + 2, spec.antialias): DropIn(spec, len(spec.axes))
    for spec in OPERATORS.values()
    if spec.mode and not spec.is_gradient
}
"""By mode, number of dimensions, and whether the weights of shrinking are anti-aliased."""
_AREA = {3: adaptive_avg_pool1d, 4: adaptive_avg_pool2d, 5: adaptive_avg_pool3d}


@cached
def _target(sizes: Sequence[int], size: Any, scale_factor: Any, recompute: bool | None) -> tuple[Any, ...] | None:
    """The sizes to resample to and the factors to do it with, if any; None if that is for PyTorch to judge."""
    axes = len(sizes)
    if (size is None) == (scale_factor is None) or (size is not None and recompute):
        return None
    factors: tuple[float, ...] = ()
    if size is not None:
        target = per_axis(size, axes)
        if not all(isinstance(n, (int, torch.SymInt)) for n in target):
            return None
    else:
        factors = per_axis(scale_factor, axes)
        if len(factors) != axes or not all(isinstance(f, (int, float)) and 0 < f < math.inf for f in factors):
            return None
        target = tuple(torch.sym_int(n * f) for n, f in zip(sizes, factors, strict=True))
    if len(target) != axes or not all(n > 0 for n in target):
        return None
    return (target,) if recompute else (target, *factors)


def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Any:
    """``torch.nn.functional.interpolate``, faster on the CPU in every mode."""
    copies = mode in ("nearest", "nearest-exact", "area")  # and knows neither corners nor aliases
    operator = _RESAMPLE.get((mode, input.dim(), antialias))
    area = _AREA.get(input.dim()) if mode == "area" and not antialias else None
    if (area or (operator and operator.takes(input))) and not (copies and align_corners is not None):
        plain = is_plain((input,))
        target = _target(plain, input.shape[2:], size, scale_factor, recompute_scale_factor)
        if target is not None and area:
            return area(input, target[0])
        if target is not None and operator:
            sizes, *factors = target
            return operator.compute(plain, input, sizes, *(() if copies else (bool(align_corners),)), *factors)
    return PYTORCH.interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias)
