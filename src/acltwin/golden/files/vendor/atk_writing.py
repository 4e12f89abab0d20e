"""Cases as ATK's JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from acltwin._writing import write_text
from acltwin.golden.cases.arrays import sizes_first
from acltwin.golden.cases.case import Case, c_value
from acltwin.golden.cases.family import family_of, flowing_name
from acltwin.golden.cases.upsample import size_order
from acltwin.golden.files.vendor import Written
from acltwin.golden.files.vendor.calls import call_key

SHORT_DTYPES = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64"}


def write(cases: Sequence[Case], path: Path) -> Written:
    """One entry for a geometry and dtype: the file holds no data, so fills make no difference to it."""
    entries: list[dict[str, Any]] = []
    left_out: list[tuple[str, str]] = []
    seen: set[str] = set()
    for case in cases:
        original = case.kept.get("atk")
        key = json.dumps(original) if original else call_key(case)
        if key in seen:
            continue
        seen.add(key)
        try:
            entries.append(dict(original) if original else {"id": len(entries), **_entry(case)})
        except ValueError as error:
            left_out.append((f"{case.operator} {case.name}", str(error)))
    write_text(path, json.dumps(entries, indent=1) + "\n")
    return Written(len(entries), tuple(left_out))


def _entry(case: Case) -> dict[str, Any]:
    spec = case.spec
    described = _interpolation_inputs(case) if spec.mode else _named_inputs(case)
    return {
        "name": family_of(spec).torch_name.format(axes=len(spec.axes)),
        "aclnn_name": spec.c_name.removeprefix("aclnn"),
        "api_type": spec.name,
        "standard": {"acc": "single_bm", "perf": "not_key"},
        "inputs": described,
    }


def _interpolation_inputs(case: Case) -> list[Any]:
    spec, arguments = case.spec, case.arguments
    data_format = case.format_name
    tensor = case.inputs()[flowing_name(spec)]
    whole = next((argument for argument in spec.inputs if argument.begins_with_batch), None)
    given: Any = arguments[whole.python_name] if whole else tensor.shape
    inner: Any = sizes_first(given, size_order(spec, data_format) if whole else data_format)
    outer: Any = arguments["output_size"]
    scales: Any = [arguments.get(a.python_name) or 0.0 for a in spec.inputs if a.is_scale]
    inputs: list[Any] = [
        _object("input", "tensor", _word(case.dtype), list(inner), {"name": "nd", "mean": [-1, 1], "std": [1, 2]}),
        _object("mode", "attr", "string", None, spec.mode),
    ]
    for argument in spec.inputs:
        if argument.kind == "bool":
            value = bool(arguments.get(argument.python_name))
            inputs.append(_object(argument.python_name, "attr", "bool", None, value))
    if not any(scales):
        inputs.append([_object("size", "attr_tuple", "int", None, size) for size in outer])
    elif tuple(int(n * s) for n, s in zip(inner[2:], scales, strict=True)) == tuple(outer):
        inputs.append([_object("scale_factor", "attr_tuple", "double", None, scale) for scale in scales])
    else:
        raise ValueError(f"the file has sizes or scales, and scales of {scales} do not give the size {tuple(outer)}")
    return [*inputs, _object("format", "attr", "string", None, data_format)]


def _named_inputs(case: Case) -> list[Any]:
    inputs: list[Any] = []
    tensors = case.inputs()
    for argument in case.spec.parameters:
        if argument.kind == "tensor":
            tensor = tensors[argument.python_name]
            cells = math.prod(tensors[flowing_name(case.spec)].shape[-len(case.spec.axes) :])
            values = [0, cells - 1] if argument.holds == "indices" else [-8, 8]
            values = [0, 8] if tensor.dtype.kind == "u" else values
            inputs.append(_object(argument.name, "tensor", _word(tensor.dtype.name), list(tensor.shape), values))
        elif argument.kind == "int_array":
            numbers: Any = c_value(case, argument)
            if numbers:  # an empty list has no place for its name
                inputs.append([_object(argument.name, "attrs", "int", None, number) for number in numbers])
        else:
            word = "bool" if argument.kind == "bool" else "int"
            inputs.append(_object(argument.name, "attr", word, None, c_value(case, argument)))
    return inputs


def _word(dtype: str) -> str:
    return SHORT_DTYPES.get(dtype, dtype)


def _object(name: str, kind: str, dtype: str, shape: list[int] | None, values: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, "required": True, "dtype": dtype, "shape": shape, "range_values": values}
