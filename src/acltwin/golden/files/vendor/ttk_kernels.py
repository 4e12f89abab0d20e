"""The kernels behind our operators, by the names, inputs and attributes that the vendor's kit gives them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from acltwin.golden.cases.case import Case, c_value
from acltwin.golden.cases.checked import short
from acltwin.golden.cases.dtypes import Array
from acltwin.golden.cases.family import aliases, flowing_name, scale_names
from acltwin.golden.cases.masks import without_mask
from acltwin.golden.files.tensors import Storage
from acltwin.golden.files.vendor.calls import sizes_of
from acltwin.golden.files.vendor.values import Tensor
from acltwin.ops import OPERATORS, OpSpec

GATHER = "gather_elements"  # the gradient of unpooling is this, on planes
WINDOW = {"kernel_size": "ksize", "stride": "strides", "padding": "pads", "dilation": "dilation"}


@dataclass(frozen=True)
class Kernel:
    name: str
    spec: OpSpec
    inputs: tuple[str, ...]  # by the names of acltwin.<operator>, in the kernel's order
    names: tuple[str, ...]  # the kernel's own names of them
    attributes: tuple[str, ...]


def kernels() -> dict[str, Kernel]:
    """By name: every gradient has one. Of several operators that one kernel serves, the first stands for all."""
    found: dict[str, Kernel] = {}
    for spec in OPERATORS.values():
        if spec.is_gradient:
            kernel = kernel_of(spec)
            found.setdefault(kernel.name, kernel)
    return found


def kernel_named(name: str, where: str) -> Kernel:
    known = kernels()
    if name not in known:
        raise ValueError(f"{where}: the op_name is {short(name)}; expected one of {', '.join(known)}")
    return known[name]


def kernel_of(spec: OpSpec) -> Kernel:
    """Of a gradient."""
    return _KITS[without_mask(spec).family].kernel(without_mask(spec))


def attributes_of(kernel: Kernel, case: Case) -> dict[str, Any]:
    """The attributes of a kernel's call."""
    return _KITS[kernel.spec.family].attributes(kernel.spec, case)


def arguments_of(
    kernel: Kernel, attributes: Mapping[str, Any], tensors: Mapping[str, Tensor], data_format: str, where: str
) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The other way: the array function's tensors and arguments."""
    return _KITS[kernel.spec.family].arguments(kernel.spec, attributes, tensors, data_format, where)


def kernel_arrays(kernel: Kernel, case: Case) -> list[Array]:
    """The tensors of a case as the kernel gets them."""
    made = case.inputs()
    arrays = [made[name] for name in kernel.inputs]
    return [planes_of(array, kernel.spec) for array in arrays] if kernel.name == GATHER else arrays


def planes_of(array: Array, spec: OpSpec) -> Array:
    shape = array.shape[: -len(spec.axes)]
    return array.reshape(math.prod(shape), -1)


# ---- upsampling ----


def _upsample_kernel(spec: OpSpec) -> Kernel:
    attributes = ("input_size", "output_size", *_switches(spec), *_scale_names(spec))
    return Kernel(aliases(spec.name)[-1], spec, (flowing_name(spec),), ("grad_output",), attributes)


def _switches(spec: OpSpec) -> tuple[str, ...]:
    return tuple(argument.python_name for argument in spec.inputs if argument.kind == "bool")


def _scale_names(spec: OpSpec) -> tuple[str, ...]:
    """Kernels of three axes take one list, those of two axes two numbers."""
    if len(spec.axes) == 3:
        return ("scales",)
    return tuple(scale_names(spec))


def _upsample_attributes(spec: OpSpec, case: Case) -> dict[str, Any]:
    arguments: Mapping[str, Any] = case.arguments
    sizes: dict[str, Any] = {name: list(arguments[name]) for name in ("input_size", "output_size")}
    scales = [float(arguments.get(name) or 0.0) for name in scale_names(spec)]
    names = _scale_names(spec)
    sizes |= {name: bool(arguments.get(name)) for name in _switches(spec)}
    return sizes | ({"scales": scales} if names == ("scales",) else dict(zip(names, scales, strict=True)))


def _upsample_arguments(
    spec: OpSpec, attributes: Mapping[str, Any], tensors: Mapping[str, Tensor], data_format: str, where: str
) -> tuple[dict[str, Tensor], dict[str, Any]]:
    arguments: dict[str, Any] = {}
    for name in ("output_size", "input_size"):
        arguments[name] = sizes_of(attributes.get(name), f"{where}: attribute {name}")
    names = scale_names(spec)
    given = attributes.get("scales") or [attributes.get(name, 0.0) for name in names]
    numbers = [scale or 0.0 for scale in given] if isinstance(given, list | tuple) else []
    if len(numbers) != len(names) or not all(isinstance(scale, int | float) for scale in numbers):
        raise ValueError(f"{where}: the scales are {short(given)}; expected {len(names)} numbers")
    arguments |= dict(zip(names, map(float, numbers), strict=True))
    arguments |= {name: bool(attributes.get(name, False)) for name in _switches(spec)}
    if data_format not in ("ND", spec.data_formats[0]):
        arguments["data_format"] = data_format
    return dict(tensors), arguments


# ---- max pooling ----


def _pool_kernel(spec: OpSpec) -> Kernel:
    attributes = (*WINDOW.values(), "ceil_mode", "data_format")
    inputs = ("input", flowing_name(spec), "indices")
    return Kernel(aliases(spec.name)[-1], spec, inputs, ("x", "grad", "argmax"), attributes)


def _pool_attributes(spec: OpSpec, case: Case) -> dict[str, Any]:
    window: dict[str, Any] = {a.python_name: c_value(case, a) for a in spec.inputs if a.kind != "tensor"}
    window["stride"] = window["stride"] or window["kernel_size"]
    lists = {theirs: list(window[ours]) for ours, theirs in WINDOW.items()}
    return {**lists, "ceil_mode": window["ceil_mode"], "data_format": f"NC{spec.axes}"}


def _pool_arguments(
    spec: OpSpec, attributes: Mapping[str, Any], tensors: Mapping[str, Tensor], data_format: str, where: str
) -> tuple[dict[str, Tensor], dict[str, Any]]:
    known = f"NC{spec.axes}"
    order = attributes.get("data_format", known)
    if order != known:
        raise ValueError(
            f"{where}: the data_format is {short(order)}; expected {known!r}: max pooling has no other here"
        )
    window = {ours: _per_axis(attributes, theirs, len(spec.axes), where) for ours, theirs in WINDOW.items()}
    return dict(tensors), {**window, "ceil_mode": bool(attributes.get("ceil_mode", False))}


# ---- average pooling, and pooling to a given size ----


def _average_kernel(spec: OpSpec) -> Kernel:
    attributes = tuple(argument.python_name for argument in spec.parameters if argument.kind != "tensor")
    return Kernel(aliases(spec.name)[-1], spec, (flowing_name(spec), "input"), ("input_grad", "orig_input"), attributes)


def _average_attributes(spec: OpSpec, case: Case) -> dict[str, Any]:
    values = {one.python_name: c_value(case, one) for one in spec.parameters if one.kind != "tensor"}
    if "stride" in values:
        values["stride"] = values["stride"] or values["kernel_size"]
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _average_arguments(
    spec: OpSpec, attributes: Mapping[str, Any], tensors: Mapping[str, Tensor], data_format: str, where: str
) -> tuple[dict[str, Tensor], dict[str, Any]]:
    found: dict[str, Any] = {}
    for one in spec.parameters:
        value = attributes.get(one.python_name)
        if one.kind == "int_array" and value is not None:
            found[one.python_name] = sizes_of(value, f"{where}: attribute {one.python_name}")
        elif one.kind in ("bool", "int64") and value is not None:
            found[one.python_name] = bool(value) if one.kind == "bool" else _whole(value, one.python_name, where)
    return dict(tensors), found


def _whole(value: Any, name: str, where: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise ValueError(f"{where}: attribute {name} is {short(value)}; expected a whole number")


def _adaptive_kernel(spec: OpSpec) -> Kernel:
    inputs = ("input", flowing_name(spec), "indices")
    return Kernel(aliases(spec.name)[-1], spec, inputs, ("x", "grad", "argmax"), ())


def _tensors_alone(
    spec: OpSpec, attributes: Mapping[str, Any], tensors: Mapping[str, Tensor], data_format: str, where: str
) -> tuple[dict[str, Tensor], dict[str, Any]]:
    return dict(tensors), {"data_format": data_format} if data_format in spec.data_formats[1:] else {}


def _per_axis(attributes: Mapping[str, Any], name: str, axes: int, where: str) -> tuple[int, ...]:
    default = {"pads": [0], "dilation": [1]}.get(name)
    numbers = sizes_of(attributes.get(name, default), f"{where}: attribute {name}")
    numbers = numbers * axes if len(numbers) == 1 else numbers[-axes:]
    if len(numbers) != axes:
        raise ValueError(f"{where}: attribute {name} is {short(numbers)}; expected 1, {axes} or {axes + 2} numbers")
    return numbers


# ---- max unpooling ----


def _gather_kernel(spec: OpSpec) -> Kernel:
    return Kernel(GATHER, spec, (flowing_name(spec), "indices"), ("x", "index"), ("dim",))


def _gather_arguments(
    spec: OpSpec, attributes: Mapping[str, Any], tensors: Mapping[str, Tensor], data_format: str, where: str
) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """(planes, cells) and (planes, places) as the planes of an unpooling with one row each."""
    grad, index = tensors["grad_output"], tensors["indices"]
    flat = len(grad.shape) == len(index.shape) == 2 and grad.shape[0] == index.shape[0]
    if not flat or attributes.get("dim", 0) not in (1, -1):
        raise ValueError(
            f"{where}: x {grad.shape}, index {index.shape}, dim {short(attributes.get('dim', 0))}; expected two "
            "tensors of the same number of planes, (planes, cells) and (planes, places), with dim 1"
        )
    planes, cells = grad.shape
    before = (1,) * (len(spec.axes) - 1)
    places = (1, planes, *before, index.shape[1])
    made = {
        "grad_output": Tensor(grad.dtype, (1, planes, *before, cells), grad.values, Storage(grad.shape)),
        "input": Tensor(grad.dtype, places),
        "indices": Tensor(index.dtype, places, index.values, Storage(index.shape)),
    }
    window = {"stride": (1,) * len(spec.axes), "padding": (0,) * len(spec.axes)}
    known = [argument.python_name for argument in spec.inputs]
    return made, {"output_size": (*before, cells)} | {name: window[name] for name in window if name in known}


@dataclass(frozen=True)
class _Kit:
    """What the kit makes of a family."""

    kernel: Callable[[OpSpec], Kernel]
    attributes: Callable[[OpSpec, Case], dict[str, Any]]
    arguments: Callable[
        [OpSpec, Mapping[str, Any], Mapping[str, Tensor], str, str], tuple[dict[str, Tensor], dict[str, Any]]
    ]


_KITS: Mapping[str, _Kit] = {
    "upsample": _Kit(_upsample_kernel, _upsample_attributes, _upsample_arguments),
    "pool": _Kit(_pool_kernel, _pool_attributes, _pool_arguments),
    "adaptive_pool": _Kit(_adaptive_kernel, lambda spec, case: {}, _tensors_alone),
    "average": _Kit(_average_kernel, _average_attributes, _average_arguments),
    "linear": _Kit(_upsample_kernel, _upsample_attributes, _upsample_arguments),
    "unpool": _Kit(_gather_kernel, lambda spec, case: {"dim": 1}, _gather_arguments),
}
