"""The operators in PyTorch's registry: their schemas, and what they do on CPU tensors, out of the specs.

The arguments are those of the array functions, in their order. Only ``rule`` has another default: ``"torch"``, which
here means what PyTorch does with a tensor of that layout and dtype.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable, Mapping
from ctypes import c_char
from typing import Any

import torch
from torch import Tensor

from acltwin import _core
from acltwin.ops import OPERATORS, OpSpec
from acltwin.ops.spec import Argument

Kernel = Callable[..., Any]

LIBRARY = torch.library.Library("acltwin", "DEF")


def _declared(argument: Argument, axes: int) -> str:
    name, default = argument.python_name, argument.default
    if argument.kind == "tensor":
        return f"Tensor {name}"
    if argument.is_scale:
        return f"float? {name}=None"
    kind = "bool" if argument.kind == "bool" or default in ("True", "False") else "int"
    if kind == "int" and default == "None" and argument.kind != "int_array":
        return f"int? {name}=None"
    if argument.kind == "int_array":  # PyTorch spreads one number over int[3], but not over SymInt[3]
        count = axes + 2 if argument.begins_with_batch else axes
        kind = f"int[{count}]" if argument.one_for_all else f"SymInt[{count}]"
    return f"{kind} {name}" if default is None else f"{kind} {name}={'[]' if default == 'None' else default}"


def schema(spec: OpSpec) -> str:
    """The declaration of the operator in PyTorch's language."""
    arguments = [_declared(argument, len(spec.axes)) for argument in spec.parameters]
    modes = ["str rule='torch'"] * spec.has_map_rule + ["str index_dtype='int32'"] * spec.makes_indices
    results = ", ".join(["Tensor"] * len(spec.results))
    return f"{spec.name}({', '.join([*arguments, *['*'] * bool(modes), *modes])}) -> ({results})"


def tensors_of(spec: OpSpec) -> int:
    """How many tensors an operator takes; they come first."""
    return sum(argument.kind == "tensor" for argument in spec.parameters)


def defaults_of(spec: OpSpec) -> tuple[Any, ...]:
    """The defaults of an operator's arguments, and something for those that must be given."""
    return tuple(
        () if argument.kind == "int_array" and argument.default == "None" else literal_eval(argument.default or "None")
        for argument in spec.parameters
    )


# An older PyTorch without the function table hands over its tensors by a method, which refuses those that record.
_HANDS_OVER_RECORDING = hasattr(torch.Tensor, "__dlpack_c_exchange_api__")


def _detached(function: Kernel, tensors: int) -> Kernel:
    return lambda *arguments: function(*(tensor.detach() for tensor in arguments[:tensors]), *arguments[tensors:])


_is_lazy_clone: Callable[[Tensor], bool] = torch._C._is_cow_tensor  # type: ignore[attr-defined]


def _for_reading(tensor: Tensor) -> Tensor:
    """The tensor, or for a lazy clone another one on its memory: PyTorch would copy it to hand it over for writing."""
    size = tensor.untyped_storage().nbytes()
    if not size or not _is_lazy_clone(tensor):
        return tensor
    storage = (c_char * size).from_address(torch._C._data_address(tensor))  # type: ignore[attr-defined]
    memory = torch.frombuffer(storage, dtype=tensor.dtype, count=size // tensor.itemsize)
    return memory.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())


def kernel_of(spec: OpSpec, functions: Mapping[str, Kernel]) -> Kernel:
    """The operator by the shortest way, for tensors whose gradients somebody else deals with.

    ``functions`` are a door of the extension module: ``below_autograd``, or ``usual``.
    """
    function, tensors = functions[spec.name], tensors_of(spec)
    if not _HANDS_OVER_RECORDING:
        function = _detached(function, tensors)
    defaults, makes_indices = defaults_of(spec), spec.makes_indices
    data_format = spec.array_formats[0]
    usual_rule = "torch" if spec.has_map_rule else "device"

    def kernel(*arguments: Any, rule: str = usual_rule, index_dtype: str = "int32") -> Any:
        for tensor in arguments[:tensors]:
            if _is_lazy_clone(tensor):
                arguments = (*map(_for_reading, arguments[:tensors]), *arguments[tensors:])
                break
        modes = (index_dtype, data_format, rule, None) if makes_indices else (data_format, rule, None)
        return function(*arguments, *defaults[len(arguments) :], *modes)

    return kernel


KERNELS: Mapping[str, Kernel] = {name: kernel_of(spec, _core.below_autograd) for name, spec in OPERATORS.items()}

for _name, _spec in OPERATORS.items():
    LIBRARY.define(schema(_spec), tags=(torch.Tag.pt2_compliant_tag,))
    LIBRARY.impl(_name, KERNELS[_name], "CPU")
