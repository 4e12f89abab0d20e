"""Nearest upsampling of images: PyTorch has it, and as long as no operator here does it, the one for volumes does.

Images are volumes of depth 1. PyTorch's rule looks at each axis alone, so the depth has no say in the other two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from torch import Tensor

import acltwin
from acltwin.ops import OPERATORS, OpSpec


def _upsample(input: Tensor, output_size: Sequence[int], *scales: float | None) -> Tensor:
    volume = input.unsqueeze(2)
    return acltwin.upsample_nearest3d(volume, (1, *output_size), None, *scales, rule="torch").squeeze(2)


def _upsample_backward(
    grad_output: Tensor, output_size: Sequence[int], input_size: Sequence[int], *scales: float | None
) -> Tensor:
    volume, volume_size = grad_output.unsqueeze(2), (*input_size[:2], 1, *input_size[2:])
    return acltwin.upsample_nearest3d_backward(
        volume, (1, *output_size), volume_size, None, *scales, rule="torch"
    ).squeeze(2)


def _spec(name: str, declared_like: str, computed_by: str, partner: str) -> OpSpec:
    """The arguments of the exact operator for images, the dtypes of the operator for volumes."""
    like = OPERATORS[declared_like]
    arguments = (OPERATORS[computed_by].arguments[0], *like.arguments[1:])
    return replace(like, name=name, aten=name, partner=partner, arguments=arguments, mode="nearest", has_map_rule=False)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "upsample_nearest2d": _upsample,
    "upsample_nearest2d_backward": _upsample_backward,
}
_ALL = (
    _spec("upsample_nearest2d", "upsample_nearest_exact2d", "upsample_nearest3d", "upsample_nearest2d_backward"),
    _spec(
        "upsample_nearest2d_backward",
        "upsample_nearest_exact2d_backward",
        "upsample_nearest3d_backward",
        "upsample_nearest2d",
    ),
)
SPECS: dict[str, OpSpec] = {spec.name: spec for spec in _ALL if spec.name not in OPERATORS}
