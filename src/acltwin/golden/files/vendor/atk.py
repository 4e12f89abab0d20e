"""ATK JSON (``atk_aclnnX.json``): a list of cases, written as calls of torch's functions; read and written."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from acltwin._writing import write_text
from acltwin.golden.cases.case import Case, c_value
from acltwin.golden.cases.checked import Name, checked, json_of, short
from acltwin.golden.cases.dtypes import sizes_first, sizes_in
from acltwin.golden.cases.family import adds, family_of, flowing, flowing_name, scale_names, takes_indices
from acltwin.golden.cases.masks import has_mask, shape_of
from acltwin.golden.cases.upsample import size_order
from acltwin.golden.files.vendor import Format, Options, Written
from acltwin.golden.files.vendor.calls import Call, call_key, cases_of, dtype_of, list_of, sizes_of
from acltwin.golden.files.vendor.values import ONES, Tensor, of_atk, threshold
from acltwin.ops import OPERATORS, OpSpec
from acltwin.ops.spec import Argument

BITWISE = ("md5", "equal", "binary_standard_v2")
Given = Mapping[str, list[dict[str, Any]]]
"""The objects of a case's inputs by name; several where an argument is a list."""
Read = tuple[dict[str, Tensor], dict[str, Any]]
"""The array function's tensors and arguments."""


def read(path: Path, options: Options) -> list[Case]:
    content = json_of(path)
    if not isinstance(content, list):
        raise ValueError(f"{path} holds {short(content)}; expected a list of cases")
    cases: list[Case] = []
    names: dict[str, str] = {}
    for number, entry in enumerate(content):
        where = f"{path}, case {number}"
        if not isinstance(entry, dict):
            raise ValueError(f"{where} is {short(entry)}; expected an object with aclnn_name and inputs")
        if entry.get("expected_error_msg"):
            options.notes.append(f"{where} expects an error, which no output can show: left out")
            continue
        call = call_of(entry, where, number)
        if call.name in names:
            raise ValueError(f"{where} has the id of {names[call.name]}; expected every id once: number them anew")
        names[call.name] = where
        cases += cases_of(call, options)
    return cases


def call_of(entry: Mapping[str, Any], where: str, number: int = 0) -> Call:
    spec = _operator(entry, where)
    given = _arguments(entry, where)
    name = f"atk{checked(int | Name, entry.get('id', number), f'{where}, id')}"
    standard = _asked(entry.get("standard"), where)
    of_family = _interpolation if spec.mode else _by_names
    tensors, arguments = of_family(spec, given, where)
    return Call(spec.name, name, where, tensors, arguments, asks=standard, kept={"atk": dict(entry)})


def _operator(entry: Mapping[str, Any], where: str) -> OpSpec:
    """By ``aclnn_name``; where that is absent, by the executor's name, which is spelt with other underscores."""
    for key in ("aclnn_name", "api_type"):
        word = str(entry.get(key, "")).removeprefix("aclnn").replace("_", "").lower()
        for spec in OPERATORS.values():
            if word == spec.c_name.removeprefix("aclnn").lower():
                return spec
    known = ", ".join(spec.c_name.removeprefix("aclnn") for spec in OPERATORS.values())
    raise ValueError(
        f"{where} has the aclnn_name {short(entry.get('aclnn_name'))} and the api_type "
        f"{short(entry.get('api_type'))}; expected one of {known}"
    )


def _arguments(entry: Mapping[str, Any], where: str) -> dict[str, list[dict[str, Any]]]:
    """The objects by name; a list of objects is one list-valued argument."""
    inputs = entry.get("inputs")
    if not isinstance(inputs, list):
        raise ValueError(f"{where} has the inputs {short(inputs)}; expected a list")
    found: dict[str, list[dict[str, Any]]] = {}
    for position, item in enumerate(inputs):
        objects = item if isinstance(item, list) else [item]
        names = [one.get("name") if isinstance(one, dict) else None for one in objects]
        if not names or not isinstance(names[0], str) or any(name != names[0] for name in names):
            raise ValueError(
                f"{where}, input {position} is {short(item)}; expected an object with a name, or a list of objects "
                "of the same name"
            )
        found[objects[0]["name"]] = objects
    return found


def _asked(standard: Any, where: str) -> str:
    """The rule of ours that stands for the file's: its formulas are not public."""
    wanted = standard.get("acc") if isinstance(standard, dict) else standard
    if isinstance(wanted, dict):
        for name, limits in wanted.items():
            for key, value in limits.items() if isinstance(limits, dict) else ():
                if key != "type":
                    threshold(value, f"{where}, standard, {name}, {key}")
        return "mixed@ttk"
    return "binary" if wanted in BITWISE else "mixed@ttk"


def _interpolation(spec: OpSpec, given: Given, where: str) -> Read:
    """A call of torch's interpolate: sizes are those of the forward pass, and channels come first."""
    axes = len(spec.axes)
    image = _tensor(spec, flowing(spec), given, "input", where)
    if len(image.shape) != axes + 2:
        raise ValueError(f"{where}: input has the shape {image.shape}; expected {axes + 2} sizes")
    mode = _value(given, "mode", where)
    if mode is not None and mode != spec.mode:
        raise ValueError(f"{where}: the mode is {short(mode)}; expected {spec.mode!r} for {spec.c_name}: change either")
    data_format = _value(given, "format", where) or spec.data_formats[0]
    data_format = spec.data_formats[0] if data_format == "ND" else data_format
    if data_format not in spec.data_formats:
        known = ", ".join(spec.data_formats)
        raise ValueError(f"{where}: the format is {short(data_format)}; expected one of {known}")
    inner = image.shape[2:]
    scales, outer = _scales_and_size(given, inner, where)
    whole = sizes_in(size_order(spec, data_format), image.shape)
    arguments: dict[str, Any] = dict(zip(scale_names(spec), scales, strict=True))
    for argument in spec.inputs:
        name = argument.python_name
        if argument.kind == "int_array":
            arguments[name] = whole if argument.begins_with_batch else outer
        elif argument.kind == "bool":
            arguments[name] = bool(_value(given, name, where) or False)
    if data_format != spec.data_formats[0]:
        arguments["data_format"] = data_format
    size = (*image.shape[:2], *(outer if spec.is_gradient else inner))
    values = ONES if spec.is_gradient else image.values
    return {flowing_name(spec): Tensor(image.dtype, sizes_in(data_format, size), values)}, arguments


def _scales_and_size(given: Given, inner: tuple[int, ...], where: str) -> tuple[tuple[float, ...], tuple[int, ...]]:
    axes = len(inner)
    size = _values(given, "size", axes, where)
    if size is not None:
        return (0.0,) * axes, sizes_of(size, f"{where}: size")
    scales = _values(given, "scale_factor", axes, where)
    if scales is None:
        raise ValueError(f"{where} has neither size nor scale_factor; expected one of them")
    numbers = tuple(threshold(scale, f"{where}: scale_factor") for scale in scales)
    if not all(0 < scale < 2**31 for scale in numbers):
        raise ValueError(f"{where}: scale_factor is {short(scales)}; expected numbers above 0")
    return numbers, tuple(int(length * scale) for length, scale in zip(inner, numbers, strict=True))


def _by_names(spec: OpSpec, given: Given, where: str) -> Read:
    """Arguments by the names of the C function."""
    tensors: dict[str, Tensor] = {}
    arguments: dict[str, Any] = {}
    for argument in spec.parameters:
        if argument.kind == "tensor":
            tensors[argument.python_name] = _tensor(spec, argument, given, argument.name, where)
        elif argument.kind == "int_array":
            both = len(given.get(argument.name, ())) == 2 * len(spec.axes)  # sides, of padding
            value = _values(given, argument.name, len(spec.axes) * (1 + both), where)
            arguments[argument.python_name] = list_of(value, argument, len(spec.axes), where)
        elif argument.kind == "bool":
            arguments[argument.python_name] = bool(_value(given, argument.name, where) or False)
        else:
            (number,) = sizes_of([_value(given, argument.name, where) or 0], f"{where}: {argument.name}")
            arguments[argument.python_name] = bool(number) if argument.default == "False" else number
    if takes_indices(spec) and adds(spec):  # the file's indices stand for those that the forward pass finds
        pooled = tensors[flowing_name(spec)].shape
        shape = shape_of(spec, pooled, arguments) if has_mask(spec) else pooled
        tensors["indices"] = replace(tensors["indices"], shape=shape)
    return tensors, arguments


def _tensor(spec: OpSpec, argument: Argument, given: Given, name: str, where: str) -> Tensor:
    if name not in given or given[name][0].get("type") not in ("tensor", None):
        raise ValueError(f"{where} has no tensor {name!r}; expected one for {spec.c_name}")
    described = given[name][0]
    shape = sizes_of(described.get("shape"), f"{where}: shape of {name}")
    dtype = dtype_of(described.get("dtype"), argument, where)
    return Tensor(dtype, shape, of_atk(described.get("range_values"), f"{where}: range_values of {name}"))


def _value(given: Given, name: str, where: str) -> Any:
    """Of a single attribute; an interval of one value is that value."""
    if name not in given:
        return None
    value = given[name][0].get("range_values")
    if isinstance(value, list):
        if len({str(item) for item in value}) != 1:
            raise ValueError(f"{where}: {name} is {short(value)}; expected one value, not an interval")
        return value[0]
    return value


def _values(given: Given, name: str, axes: int, where: str) -> list[Any] | None:
    """Of a list-valued attribute; one value stands for all axes."""
    if name not in given:
        return None
    found = [_value({name: [one]}, name, where) for one in given[name]]
    if found == [None]:
        return None
    found = found * axes if len(found) == 1 else found
    if len(found) != axes:
        raise ValueError(f"{where}: {name} has {len(found)} values; expected 1 or {axes}")
    return found


# ---- writing ----

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
    scales: Any = [arguments.get(name) or 0.0 for name in scale_names(spec)]
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


FORMAT = Format("atk", "ATK JSON", (".json",), read, write)
