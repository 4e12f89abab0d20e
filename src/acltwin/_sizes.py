"""The sizes of an upsampled array, where they are given as PyTorch takes them: one number, or a factor."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # array functions need no declaration
    from acltwin.ops.spec import OpSpec


def with_sizes(spec: OpSpec, given: Mapping[str, Any], tensor: Any) -> dict[str, Any]:
    """The arguments of a call without ``scale_factor``: it becomes the output size and the factors of the axes."""
    values = dict(given)
    if not spec.takes_factor:
        return values
    scales = [argument.python_name for argument in spec.parameters if argument.is_scale]
    last = values.get("data_format", "")[-1:] == "C"
    size, *factors = scaled(
        spec.name, tensor, values["output_size"], values.pop("scale_factor"), [values[name] for name in scales], last
    )
    return {**values, "output_size": size, **dict(zip(scales, factors, strict=True))}


def scaled(
    name: str, tensor: Any, output_size: Any, scale_factor: Any, scales: Sequence[float | None], last: bool
) -> tuple[Any, ...]:
    """``output_size`` and the scales as the operator takes them. What is no tensor of the right rank is left to it."""
    axes = len(scales)
    if scale_factor is None and output_size is None:
        raise ValueError(f"{name}: output_size is None, expected {axes} sizes; pass them, or scale_factor")
    if scale_factor is None:
        return ((output_size,) * axes if isinstance(output_size, int) else output_size, *scales)
    if output_size is not None or any(scales):
        other = "output_size" if output_size is not None else "scales"
        raise ValueError(f"{name}: scale_factor and {other} are both given, expected one of them")
    factors = tuple(scale_factor) if isinstance(scale_factor, (tuple, list)) else (scale_factor,) * axes
    if len(factors) != axes or not all(isinstance(f, (int, float)) and 0 < f < math.inf for f in factors):
        raise ValueError(
            f"{name}: scale_factor is {scale_factor!r}, expected a number above 0, or {axes} of them: "
            "output size / input size"
        )
    shape = tuple(getattr(tensor, "shape", ()))
    sizes = (shape[1:-1] if last else shape[2:]) if len(shape) == axes + 2 else (1,) * axes
    return tuple(_times(n, f) for n, f in zip(sizes, factors, strict=True)), *map(float, factors)


def _times(size: Any, factor: float) -> Any:
    return size * factor if isinstance(factor, int) else math.floor(float(size) * factor)
