"""A plugin for TTK: golden results of the twin, inputs whose sums are exact in every order, and verdicts by ``bound``.

    python examples/golden/ttk_plugin.py twin_plugin.py [OPERATOR ...]

writes ``twin_plugin.py``: a module whose classes the kit calls. The kit reads its ``__spec__`` and ``__golden__``
without executing it, so they are literals. It needs acltwin and this file where it runs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import acltwin
from acltwin.golden.cases.case import Case
from acltwin.golden.cases.cases import make_case
from acltwin.golden.cases.dtypes import Array, name_of, to_numpy, to_torch
from acltwin.golden.cases.family import Geometry, family_of, resolve
from acltwin.golden.files.vendor import Options
from acltwin.golden.files.vendor.calls import Call, checked, list_of
from acltwin.golden.files.vendor.ttk_kernels import Kernel, arguments_of, kernel_named, kernels, planes_of
from acltwin.golden.files.vendor.values import Range, Tensor
from acltwin.ops import OPERATORS, OpSpec

# ---- what the plugin asks of the twin ----

NO_LIMIT = Options(max_bytes=2**62)  # the tensors are there already


def aclnn_call(operator: str, given: Mapping[str, Any], kwargs: Mapping[str, Any]) -> Call:
    """Of the C function's arguments by name; the format is the first of ``tensor_formats``."""
    spec = OPERATORS[operator]
    tensors: dict[str, Tensor] = {}
    arguments: dict[str, Any] = {}
    for argument in spec.parameters:
        value = given[argument.name]
        if argument.kind == "tensor":
            tensors[argument.python_name] = _tensor(to_numpy(value))
        elif argument.kind == "int_array":
            numbers = None if value is None else [int(number) for number in value]
            arguments[argument.python_name] = list_of(numbers, argument, len(spec.axes), spec.c_name)
        else:
            is_switch = argument.kind == "bool" or argument.default == "False"
            kind = bool if is_switch else int if argument.kind == "int64" else float
            arguments[argument.python_name] = kind(value or 0)
    formats = kwargs.get("tensor_formats") or ("ND",)
    if spec.data_formats and formats[0] in spec.data_formats[1:]:
        arguments["data_format"] = formats[0]
    return Call(operator, "plugin", spec.c_name, tensors, arguments)


def kernel_call(name: str, inputs: Sequence[Array], attributes: Mapping[str, Any], kwargs: Mapping[str, Any]) -> Call:
    kernel = kernel_named(name, "the plugin")
    given = dict(zip(kernel.inputs, (_tensor(array) for array in inputs), strict=True))
    formats = kwargs.get("input_formats") or ("ND",)
    tensors, arguments = arguments_of(kernel, attributes, given, str(formats[0]), name)
    return Call(kernel.spec.name, "plugin", name, tensors, arguments)


def aclnn_golden(operator: str, given: Mapping[str, Any], kwargs: Mapping[str, Any]) -> list[Any]:
    return [to_torch(np.ascontiguousarray(result)) for result in _results(aclnn_call(operator, given, kwargs))]


def kernel_golden(
    name: str, inputs: Sequence[Array], attributes: Mapping[str, Any], kwargs: Mapping[str, Any]
) -> list[Array]:
    call = kernel_call(name, inputs, attributes, kwargs)
    return [_as_kernel(call, result) for result in _results(call)]


def aclnn_inputs(operator: str, given: Mapping[str, Any], kwargs: Mapping[str, Any]) -> list[Any]:
    """The tensors in the C function's order, filled in place and returned."""
    call = aclnn_call(operator, given, kwargs)
    made = _filled(call)
    names = {argument.python_name: argument.name for argument in call.spec.inputs if argument.kind == "tensor"}
    for ours, theirs in names.items():
        given[theirs].copy_(to_torch(np.ascontiguousarray(made[ours])))
    return [given[theirs] for theirs in names.values()]


def kernel_inputs(
    name: str, inputs: Sequence[Array], attributes: Mapping[str, Any], kwargs: Mapping[str, Any]
) -> list[Array]:
    call = kernel_call(name, inputs, attributes, kwargs)
    made = _filled(call)
    return [_as_kernel(call, made[one]) for one in kernel_named(name, name).inputs]


def context(compare_context: Any, names: Sequence[str]) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """The inputs by name and the attributes: of a mapping or an object, with the inputs by name or in order."""
    if isinstance(compare_context, Mapping):
        inputs, attributes = compare_context.get("inputs"), compare_context.get("attributes")
    else:
        inputs, attributes = getattr(compare_context, "inputs", None), getattr(compare_context, "attributes", None)
    if isinstance(inputs, Mapping):
        inputs = [inputs.get(name) for name in names]
    if inputs is None or len(inputs) != len(names) or any(one is None for one in inputs):
        raise ValueError(
            f"compare_context has not all inputs; expected {', '.join(names)}: without them there is no bound, "
            "so compare with the kit's own standard"
        )
    return dict(zip(names, inputs, strict=True)), attributes or {}


def judged(call: Call, outputs: Sequence[Any]) -> tuple[bool, str]:
    """(passed, what was found): by ``bound``, from the inputs of the call."""
    arrays = _arrays(call)
    case = Case.of(call.operator, arrays, call.arguments, name=call.name)
    shape = case.expected().value.shape
    found = tuple(to_numpy(output) for output in outputs)
    if call.spec.family == "unpool" and found[0].ndim == 2 and found[0].size == int(np.prod(shape)):
        found = tuple(one.reshape(shape) for one in found)  # a kernel sees planes
    verdict = case.judge(found)
    return verdict.passed, verdict.text()


def _filled(call: Call) -> dict[str, Array]:
    """Our data on these very shapes: coded if there are planes enough, else small integers; exact in every order."""
    geometry = checked(call, NO_LIMIT)
    if geometry is None:
        return _arrays(call)
    case = _case(call, geometry)
    made: dict[str, Array] = case.inputs()
    return {
        name: made[name].astype(tensor.dtype, copy=False) if tensor.dtype.startswith("int") else made[name]
        for name, tensor in call.tensors.items()
    }


def _case(call: Call, geometry: Geometry) -> Case:
    spec = call.spec
    dtype = next(call.tensors[a.python_name].dtype for a in spec.inputs if a.kind == "tensor" and a.holds == "values")
    best = make_case(spec, geometry, dtype, family_of(spec).fills(spec, dtype)[0])
    return best if best.batch == geometry.batch else make_case(spec, geometry, dtype, "signed")


def _results(call: Call) -> tuple[Array, ...]:
    returned = getattr(acltwin, call.operator)(**_arrays(call), **call.arguments)
    return returned if isinstance(returned, tuple) else (returned,)


def _arrays(call: Call) -> dict[str, Array]:
    """A tensor that the kernel does not get is one whose values do not matter."""
    return {
        name: np.zeros(tensor.shape, call.tensors["grad_output"].values().dtype)  # type: ignore[operator]
        if isinstance(tensor.values, Range)
        else tensor.values().reshape(tensor.shape)
        for name, tensor in call.tensors.items()
    }


def _tensor(array: Array) -> Tensor:
    return Tensor(name_of(array.dtype), tuple(array.shape), lambda: array)


def _as_kernel(call: Call, array: Array) -> Array:
    return planes_of(array, call.spec) if call.spec.family == "unpool" else array


# ---- the plugin ----

_HEAD = '''"""Golden results, inputs and a judge for operators; written by ttk_plugin.py, which it needs."""

import sys

sys.path.insert(0, {folder!r})
import ttk_plugin as _twin

__spec__ = {spec}

__golden__ = {golden}
'''

_ACLNN = '''

class {name}:
    """{c_name}: {summary}"""

    tolerance = {tolerance}

    @staticmethod
    def golden({parameters}, **kwargs):
        return _twin.aclnn_golden("{operator}", {given}, kwargs)

    @staticmethod
    def customize_inputs({parameters}, **kwargs):
        return _twin.aclnn_inputs("{operator}", {given}, kwargs)

    @staticmethod
    def compare(outputs, goldens, *, compare_context, **kwargs):
        inputs, attributes = _twin.context(compare_context, {tensors})
        given = {{**attributes, **inputs}}
        return _twin.judged(_twin.aclnn_call("{operator}", given, kwargs), outputs)
'''

_KERNEL = '''

class {name}:
    """{kernel}: {summary}"""

    tolerance = {tolerance}

    @staticmethod
    def golden({inputs}{attributes}, **kwargs):
        return _twin.kernel_golden("{kernel}", ({inputs},), {given}, kwargs)

    @staticmethod
    def customize_inputs({inputs}{attributes}, **kwargs):
        return _twin.kernel_inputs("{kernel}", ({inputs},), {given}, kwargs)

    @staticmethod
    def compare(outputs, goldens, *, compare_context, **kwargs):
        inputs, attributes = _twin.context(compare_context, {names})
        call = _twin.kernel_call("{kernel}", tuple(inputs.values()), attributes, kwargs)
        return _twin.judged(call, outputs)


{kernel}_golden = {name}.golden
'''

# What the vendor's kernels take where a line says nothing.
DEFAULTS = {
    "pads": "(0, 0, 0)",
    "dilation": "(1, 1, 1)",
    "ceil_mode": "False",
    "data_format": '"NCDHW"',
    "scales": "None",
    "scales_h": "0.0",
    "scales_w": "0.0",
}


def write(operators: Sequence[str], path: Path) -> int:
    """Returns how many operators and kernels the plugin has; ValueError for a name that the kit would not load."""
    if path.suffix != ".py" or path.name.startswith("_"):
        raise ValueError(
            f"the plugin is to be called {path.name!r}; expected a name that ends with .py and does not begin with _"
        )
    specs = [OPERATORS[name] for name in operators]
    chosen = [kernel for kernel in kernels().values() if kernel.spec in specs]
    names = {spec.c_name: _class_name(spec.c_name) for spec in specs}
    names |= {kernel.name: _class_name(kernel.name) for kernel in chosen}
    functions = {"kernel": {kernel.name: f"{kernel.name}_golden" for kernel in chosen}}
    text = _HEAD.format(folder=str(Path(__file__).resolve().parent), spec=_literal(names), golden=_literal(functions))
    text += "".join(_aclnn(spec) for spec in specs) + "".join(_kernel(kernel) for kernel in chosen)
    path.write_text(text)
    return len(names)


def _class_name(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_")) + "TestSpec"


def _literal(value: object) -> str:
    return json.dumps(value, indent=4)


def _tolerance(spec: OpSpec) -> str:
    """The data of ``customize_inputs`` are exact, so one result alone is right."""
    dtypes = next(
        argument.dtypes for argument in spec.inputs if argument.kind == "tensor" and argument.holds == "values"
    )
    return json.dumps({dtype: {"standard": "binary_equal"} for dtype in dtypes})


def _aclnn(spec: OpSpec) -> str:
    inputs = [argument.name for argument in spec.inputs]
    outputs = [f"{argument.name}=None" for argument in spec.results]
    return _ACLNN.format(
        name=_class_name(spec.c_name),
        c_name=spec.c_name,
        operator=spec.name,
        tensors=tuple(argument.name for argument in spec.inputs if argument.kind == "tensor"),
        summary=spec.summary,
        tolerance=_tolerance(spec),
        parameters=", ".join((*inputs, *outputs)),
        given="{" + ", ".join(f'"{name}": {name}' for name in inputs) + "}",
    )


def _kernel(kernel: Kernel) -> str:
    return _KERNEL.format(
        name=_class_name(kernel.name),
        kernel=kernel.name,
        summary=kernel.spec.summary,
        tolerance=_tolerance(kernel.spec),
        inputs=", ".join(kernel.names),
        names=kernel.names,
        attributes="".join([", *"] * bool(kernel.attributes) + [f", {_parameter(name)}" for name in kernel.attributes]),
        given="{" + ", ".join(f'"{name}": {name}' for name in kernel.attributes) + "}",
    )


def _parameter(name: str) -> str:
    return f"{name}={DEFAULTS[name]}" if name in DEFAULTS else name


if __name__ == "__main__":
    place, *words = sys.argv[1:]
    count = write([resolve(word) for word in words] or list(OPERATORS), Path(place))
    print(f"{count} operators and kernels, in {place}")
