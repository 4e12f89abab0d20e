"""What the tests ask the operators' declarations: lists of operators, their axes, dtypes and argument names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from acltwin.ops import OPERATORS, OpSpec
from support.lazy import torch


def names(*, is_gradient: bool, family: str = "") -> tuple[str, ...]:
    """The forward operators or the gradients, of one family or of all."""
    return tuple(
        name
        for name, spec in OPERATORS.items()
        if spec.is_gradient == is_gradient and (not family or spec.family == family)
    )


def axes_of(operator: str) -> int:
    return len(OPERATORS[operator].axes)


def dtypes_of(operator: str) -> tuple[np.dtype[Any], ...]:
    """What the array function takes."""
    first = OPERATORS[operator].inputs[0]
    return tuple(
        np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)
        for name in (*first.dtypes, *first.array_dtypes)
    )


def tensor_names(operator: str) -> tuple[str, ...]:
    return tuple(argument.python_name for argument in OPERATORS[operator].inputs if argument.kind == "tensor")


def aten(spec: OpSpec) -> Callable[..., torch.Tensor]:
    """PyTorch's own operator, with the arguments of ours in the same order."""
    return lambda *arguments: getattr(torch.ops.aten, spec.aten).default(*arguments)
