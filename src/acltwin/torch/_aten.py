"""PyTorch's own operators that compute what ours do, and how arguments of theirs become arguments of ours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any

import torch

from acltwin import _core
from acltwin.ops import OPERATORS, OpSpec
from acltwin.ops.spec import snake_case
from acltwin.torch._define import Kernel, kernel_of


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

    def place_of(self, argument: str) -> int | None:
        """Where PyTorch's operator has this argument; None: it has none."""
        names = [one.name for one in self.operator._schema.arguments]
        return names.index(argument) if argument in names else None

    @property
    def compute(self) -> Kernel:
        """Our kernel, called with PyTorch's arguments; its indices are int64, as PyTorch's are."""
        return self._reordered(kernel_of(self.spec, _core.below_autograd))

    @property
    def compute_usual(self) -> Kernel:
        """The same for calls that PyTorch would answer alike, strides and all; NotImplemented for others."""
        return self._reordered(kernel_of(self.spec, _core.usual))

    def _reordered(self, kernel: Kernel) -> Kernel:
        defaults = self.defaults
        modes = {"index_dtype": "int64"} if self.spec.makes_indices else {}
        if self.order == tuple(range(len(self.order))):  # what is left out at the end has the same defaults here
            return partial(kernel, **modes) if modes else kernel
        ordered = itemgetter(*self.order)
        return lambda *arguments: kernel(*ordered((*arguments, *defaults[len(arguments) :])), **modes)


def _counterparts() -> Iterator[Counterpart]:
    for spec in OPERATORS.values():
        if not spec.aten:
            continue
        operator = getattr(torch.ops.aten, spec.aten).default
        theirs = operator._schema.arguments
        names = [argument.name for argument in theirs]
        # The first tensor is what the operator is linear in; of gradients, its name is not always the same.
        order = (0, *(names.index(snake_case(argument.common_name)) for argument in spec.parameters[1:]))
        kinds = [argument.kind for argument in spec.parameters]
        tensors = tuple(place for place, kind in zip(order, kinds, strict=True) if kind == "tensor")
        yield Counterpart(spec, operator, tensors, order, tuple(argument.default_value for argument in theirs))


COUNTERPARTS = {counterpart.name: counterpart for counterpart in _counterparts()}
"""By the name of PyTorch's operator. The gradient of unpooling has none: PyTorch gathers."""
