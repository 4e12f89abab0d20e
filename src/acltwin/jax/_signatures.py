"""What a door to another library shows of an operator: its array function's signature, for that library's arrays."""

from __future__ import annotations

import importlib
import inspect
import re

from acltwin.ops.spec import OpSpec


def axis_orders(spec: OpSpec) -> tuple[str, str]:
    """Channels first, channels last."""
    return f"NC{spec.axes}", f"N{spec.axes}C"


def door_signature(spec: OpSpec, array: str, shape: str) -> inspect.Signature:
    """Without ``out``, and with a ``data_format`` in any case; annotations are texts.

    ``array`` is the type of a tensor, ``shape`` that of one whose values do not count.
    """
    shapes = {argument.python_name for argument in spec.parameters if argument.holds == "shape"}

    def annotated(name: str, annotation: str) -> str:
        return re.sub(r"\bArray\b", shape if name in shapes else array, annotation)

    signature = inspect.signature(getattr(importlib.import_module("acltwin._functions"), spec.name))
    parameters = [
        parameter.replace(annotation=annotated(parameter.name, parameter.annotation))
        for parameter in signature.parameters.values()
        if parameter.name != "out"
    ]
    if "data_format" not in signature.parameters:
        kind, first = inspect.Parameter.KEYWORD_ONLY, axis_orders(spec)[0]
        words = ", ".join(f'"{order}"' for order in axis_orders(spec))
        position = next((i for i, parameter in enumerate(parameters) if parameter.kind == kind), len(parameters))
        parameters.insert(
            position, inspect.Parameter("data_format", kind, default=first, annotation=f"Literal[{words}]")
        )
    return signature.replace(parameters=parameters, return_annotation=annotated("", signature.return_annotation))
