"""The operators in PyTorch's registry: their schemas, and what they do on CPU tensors, out of the specs.

The arguments are those of the array functions, in their order. ``rule`` alone has another default: PyTorch's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from operator import attrgetter
from typing import Any

import torch

import acltwin
from acltwin.ops import OPERATORS, OpSpec
from acltwin.ops.spec import Argument
from acltwin.torch._scales import heeded

Kernel = Callable[..., Any]

LIBRARY = torch.library.Library("acltwin", "DEF")


def _declared(argument: Argument, axes: int) -> str:
    name, default = argument.python_name, argument.default
    if argument.kind == "tensor":
        return f"Tensor {name}"
    if argument.kind not in ("int_array", "bool"):
        return f"float? {name}=None"
    kind = "bool"
    if argument.kind == "int_array":  # PyTorch spreads one number over int[3], but not over SymInt[3]
        count = axes + 2 if argument.begins_with_batch else axes
        kind = f"int[{count}]" if argument.one_for_all else f"SymInt[{count}]"
    return f"{kind} {name}" if default is None else f"{kind} {name}={'[]' if default == 'None' else default}"


def schema(spec: OpSpec) -> str:
    """The declaration of the operator in PyTorch's language."""
    arguments = [_declared(argument, len(spec.axes)) for argument in spec.inputs]
    modes = ["str rule='torch'"] * spec.has_map_rule + ["str index_dtype='int32'"] * spec.makes_indices
    results = ", ".join(["Tensor"] * len(spec.results))
    return f"{spec.name}({', '.join([*arguments, *['*'] * bool(modes), *modes])}) -> ({results})"


def tensors_of(spec: OpSpec) -> int:
    """How many tensors an operator takes; they come first."""
    return sum(argument.kind == "tensor" for argument in spec.inputs)


def _with_heeded_scales(function: Kernel) -> Kernel:
    def kernel(input: Any, output_size: Any, *scales: Any, **modes: Any) -> Any:
        if modes.get("rule", "torch") == "torch":
            scales = tuple(heeded(input, output_size, scales))
        return function(input, output_size, *scales, **modes)

    return kernel


def _kernel(spec: OpSpec) -> Kernel:
    """The array function for tensors whose gradients are dealt with: it refuses those that still record."""
    function = getattr(acltwin, spec.name)
    if spec.has_map_rule:
        function = partial(function, rule="torch")
    if spec.family == "upsample" and not spec.is_gradient and not spec.is_exact:
        function = _with_heeded_scales(function)
    tensors, records = tensors_of(spec), attrgetter("requires_grad")

    def kernel(*arguments: Any, **modes: Any) -> Any:
        if any(map(records, arguments[:tensors])):
            detached = [tensor.detach() for tensor in arguments[:tensors]]
            return function(*detached, *arguments[tensors:], **modes)
        return function(*arguments, **modes)

    return kernel


KERNELS: Mapping[str, Kernel] = {name: _kernel(spec) for name, spec in OPERATORS.items()}

for _name, _spec in OPERATORS.items():
    LIBRARY.define(schema(_spec), tags=(torch.Tag.pt2_compliant_tag,))
    LIBRARY.impl(_name, KERNELS[_name], "CPU")
