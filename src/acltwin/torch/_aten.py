"""PyTorch's own operators that compute what ours do, and how arguments of theirs become arguments of ours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

from acltwin.ops import OPERATORS, OpSpec
from acltwin.torch._define import KERNELS, Kernel


@dataclass(frozen=True, eq=False)
class Counterpart:
    """An operator of PyTorch's beside the operator of ours that can stand in for it."""

    spec: OpSpec
    operator: Any
    tensors: tuple[int, ...]  # where its tensors stand among its arguments, ours first
    order: tuple[int, ...]  # where each of our arguments stands among its arguments
    defaults: tuple[Any, ...]  # of its arguments; PyTorch leaves out those at the end that are the default

    @property
    def name(self) -> str:
        return str(self.operator.overloadpacket.__name__)

    @property
    def compute(self) -> Kernel:
        """Our kernel, called with PyTorch's arguments; its indices are int64, as PyTorch's are."""
        kernel, order, defaults = KERNELS[self.spec.name], self.order, self.defaults
        modes = {"index_dtype": "int64"} if self.spec.makes_indices else {}
        if not modes and order == tuple(range(len(order))):
            return kernel  # what is left out at the end has the same defaults here

        def reordered(*arguments: Any) -> Any:
            all_arguments = (*arguments, *defaults[len(arguments) :])
            return kernel(*[all_arguments[place] for place in order], **modes)

        return reordered


def _overload(spec: OpSpec) -> Any:
    """PyTorch's operator: the declared one, or with our name, or with PyTorch's word for the argmax."""
    for name in (spec.aten or spec.name, spec.name.replace("argmax", "indices")):
        if hasattr(torch.ops.aten, name):
            return getattr(torch.ops.aten, name).default
    return None


def _counterparts() -> Iterator[Counterpart]:
    for spec in OPERATORS.values():
        operator = _overload(spec)
        if operator is None:
            continue
        theirs = operator._schema.arguments
        names = [argument.name for argument in theirs]
        # The first tensor is what the operator is linear in; of gradients, its name is not always the same.
        order = (0, *(names.index(argument.snake_name) for argument in spec.inputs[1:]))
        kinds = [argument.kind for argument in spec.inputs]
        tensors = tuple(place for place, kind in zip(order, kinds, strict=True) if kind == "tensor")
        yield Counterpart(spec, operator, tensors, order, tuple(argument.default_value for argument in theirs))


COUNTERPARTS = {counterpart.name: counterpart for counterpart in _counterparts()}
"""By the name of PyTorch's operator. The gradient of unpooling has none: PyTorch gathers."""
