"""Writes a plugin for TTK: a module whose classes give golden results, inputs, tolerances and a judge.

The kit reads ``__spec__`` and ``__golden__`` without executing the module, so they are literals. The module needs
acltwin where it runs; it holds no numbers of its own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from acltwin.golden.files.vendor.ttk_kernels import Kernel, kernels
from acltwin.ops import OPERATORS, OpSpec

_HEAD = '''"""Golden results, inputs and a judge for operators; written by acltwin golden --plugin."""

from acltwin.golden.files.vendor import plugin_support as _twin

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
    def golden({inputs}, *, {attributes}, **kwargs):
        return _twin.kernel_golden("{kernel}", ({inputs},), {given}, kwargs)

    @staticmethod
    def customize_inputs({inputs}, *, {attributes}, **kwargs):
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
    text = _HEAD.format(spec=_literal(names), golden=_literal(functions))
    text += "".join(_aclnn(spec) for spec in specs) + "".join(_kernel(kernel) for kernel in chosen)
    path.parent.mkdir(parents=True, exist_ok=True)
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
        attributes=", ".join(f"{name}={DEFAULTS[name]}" if name in DEFAULTS else name for name in kernel.attributes),
        given="{" + ", ".join(f'"{name}": {name}' for name in kernel.attributes) + "}",
    )
