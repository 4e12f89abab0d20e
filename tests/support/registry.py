"""What the tests ask the operators' declarations: lists of operators, their axes, dtypes and argument names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import ml_dtypes
import numpy as np

from acltwin.ops import OPERATORS, PLANEWISE, OpSpec
from support.lazy import torch
from support.thorough import THOROUGH


def names(*, is_gradient: bool, family: str = "") -> tuple[str, ...]:
    """The forward operators or the gradients, of one family or of all."""
    return tuple(
        name
        for name, spec in OPERATORS.items()
        if spec.is_gradient == is_gradient and (not family or spec.family == family)
    )


PLANEWISE_GRADIENTS = tuple(name for name, spec in PLANEWISE.items() if spec.is_gradient)
"""The gradients of the doors that cut and fold batches."""


def representatives(operators: Mapping[str, OpSpec] = OPERATORS) -> tuple[str, ...]:
    """One forward operator and one gradient of every family: what frameworks and golden derive from a family's traits
    is tested on these, and on all operators by ``make thorough``.

    The forward operator is the last one that is declared, the gradient the first: of upsampling, they differ in
    everything else.
    """
    if THOROUGH:
        return tuple(operators)
    families = dict.fromkeys(spec.family for spec in operators.values())
    forward = {family: names(is_gradient=False, family=family)[-1:] for family in families}
    gradients = {family: names(is_gradient=True, family=family)[:1] for family in families}  # not all have one
    return tuple(name for family in families for name in (*forward[family], *gradients[family]))


def takes_any_gradient(operator: str) -> bool:
    """Whether a gradient of any size is legal: those of nearest-exact images and lines, and of adaptive pooling."""
    spec = OPERATORS[operator]
    compared = {"grad_out_shape", "grad_output_shape"} & {rule.id for rule in spec.rules_of("array")}
    return spec.is_gradient and not compared and spec.family in ("upsample", "average", "adaptive_pool")


def takes_strides(operator: str) -> bool:
    """Whether every tensor may have any strides: those of unpooling and masks may not."""
    return OPERATORS[operator].family not in ("unpool", "masked_pool")


def takes_sizes(operator: str) -> bool:
    """Whether it has an argument for sizes; the gradient of adaptive pooling has its tensors alone."""
    return any(argument.kind == "int_array" for argument in OPERATORS[operator].inputs)


def family_of(operator: str) -> str:
    return OPERATORS[operator].family


def axes_of(operator: str) -> int:
    return len(OPERATORS[operator].axes)


def dtypes_of(operator: str) -> tuple[np.dtype[Any], ...]:
    """What the array function takes, without integers that no document names: test_integers.py has those."""
    first = OPERATORS[operator].inputs[0]
    return tuple(
        np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)
        for name in (*first.dtypes, *(name for name in first.array_dtypes if "float" in name))
    )


def scale_names(operator: str) -> tuple[str, ...]:
    return tuple(argument.python_name for argument in OPERATORS[operator].inputs if argument.is_scale)


def tensor_names(operator: str) -> tuple[str, ...]:
    return tuple(argument.python_name for argument in OPERATORS[operator].inputs if argument.kind == "tensor")


def aten(spec: OpSpec) -> Callable[..., torch.Tensor]:
    """PyTorch's own operator, with the arguments of ours in the same order."""
    return lambda *arguments: getattr(torch.ops.aten, spec.aten).default(*arguments)
