"""One line of a TTK file: the call that it describes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from acltwin.golden.cases.checked import short
from acltwin.golden.cases.dtypes import facts
from acltwin.golden.cases.family import flowing_name
from acltwin.golden.files.tensors import Storage
from acltwin.golden.files.vendor.calls import Call, dtype_of, list_of, sizes_of
from acltwin.golden.files.vendor.ttk_kernels import arguments_of, kernel_named
from acltwin.golden.files.vendor.values import Tensor, literal, of_ttk
from acltwin.golden.judge.vendor_rules import Tolerance
from acltwin.ops import OPERATORS, OpSpec
from acltwin.ops.spec import SOCS, Argument

Row = Mapping[str, str]
LITERALS = ("scalar_dtypes", "scalar_data_ranges", "batch_slice_info")


def call_of(row: Row, where: str, number: int, folder: Path) -> Call:
    for column in LITERALS:
        _cell(row, column, where)  # not used, but nothing unreadable is carried on
    of_mode = _aclnn if "api_name" in row else _kernel
    name = row.get("testcase_name") or f"auto_testcase_name_{number}"
    if any(ord(letter) < 32 for letter in name):
        raise ValueError(f"{where}: testcase_name is {short(name)}; expected no control characters")
    place = f"{where} ({short(name)})"
    call = of_mode(row, name, place, folder)
    return replace(call, tolerance=_tolerance(row, call.tensors[flowing_name(call.spec)].dtype, place))


def is_wanted(row: Row, spec: OpSpec, where: str) -> str:
    """Why a line is left out; empty if it is not."""
    if _cell(row, "is_enabled", where, True) in (False, "False", 0):
        return "is_enabled is False"
    socs = _cell(row, "soc_series", where) or ()
    words = (socs,) if isinstance(socs, str) else tuple(map(str, socs))
    allowed = [word for word in words if not word.startswith("-")] or list(SOCS)
    left = [soc for soc in allowed if soc in SOCS and f"-{soc}" not in words]
    here = (*spec.socs, *spec.device_socs)
    return "" if any(soc in here for soc in left) else f"soc_series {short(words)} leaves none of {', '.join(here)}"


def operator_of(row: Row, where: str) -> OpSpec:
    if "api_name" not in row:
        return kernel_named(row.get("op_name", ""), where).spec
    name = row["api_name"]
    for spec in OPERATORS.values():
        if spec.c_name == name:
            return spec
    if not name.startswith("aclnn"):
        raise ValueError(
            f"{where}: the api_name is {short(name)}, which means an end-to-end run of a framework; expected an aclnn "
            "name: only single operators can be judged"
        )
    known = ", ".join(spec.c_name for spec in OPERATORS.values())
    raise ValueError(f"{where}: the api_name is {short(name)}; expected one of {known}")


def _aclnn(row: Row, name: str, where: str, folder: Path) -> Call:
    spec = operator_of(row, where)
    slots = [argument for argument in spec.arguments if argument.kind == "tensor"]
    outputs = tuple(number for number, argument in enumerate(slots) if argument.role == "output")
    given = _cell(row, "output_tensor_indexes", where)
    if given is not None and tuple(given if isinstance(given, tuple | list) else (given,)) != outputs:
        raise ValueError(f"{where}: output_tensor_indexes is {short(given)}; expected {outputs} for {spec.c_name}")
    attributes = _attributes(row, where)
    unknown = [key for key in attributes if key not in {argument.name for argument in spec.arguments}]
    if unknown:
        known = ", ".join(argument.name for argument in spec.arguments)
        raise ValueError(f"{where}: attributes has {short(unknown[0])}; expected names of {spec.c_name}: {known}")
    found = _tensors(
        row, "tensor_view_", "tensor_", slots, [attributes.get(slot.name) for slot in slots], where, folder
    )
    formats = _per_tensor(row, "tensor_formats", len(slots), where, "ND")
    arguments: dict[str, Any] = {}
    for argument in spec.parameters:
        value = attributes.get(argument.name)
        if argument.kind == "int_array":
            arguments[argument.python_name] = list_of(value, argument, len(spec.axes), where)
        elif argument.is_scale:
            scale = _number(value, f"{where}: {argument.name}")
            arguments[argument.python_name] = max(scale, 0.0)  # a negative one is none
        elif argument.kind == "bool":
            otherwise = literal(argument.default or "False", argument.name)
            arguments[argument.python_name] = bool(otherwise if value is None else value)
        elif argument.kind == "int64":
            number = int(_number(value, f"{where}: {argument.name}"))
            arguments[argument.python_name] = bool(number) if argument.default == "False" else number
    if spec.data_formats and formats[0] in spec.data_formats[1:]:
        arguments["data_format"] = formats[0]
    inputs = {slot.python_name: one for slot, one in zip(slots, found, strict=True) if slot.role == "input"}
    results = tuple(one.shape for slot, one in zip(slots, found, strict=True) if slot.role == "output")
    return Call(spec.name, name, where, inputs, arguments, results, "mixed@ttk", kept={"ttk": dict(row)})


def _kernel(row: Row, name: str, where: str, folder: Path) -> Call:
    kernel = kernel_named(row.get("op_name", ""), where)
    by_name = {argument.python_name: argument for argument in kernel.spec.inputs}
    slots = [by_name[one] for one in kernel.inputs]
    attributes = _attributes(row, where)
    found = _tensors(row, "input_", "input_", slots, [attributes.get(one) for one in kernel.names], where, folder)
    formats = _per_tensor(row, "input_formats", len(slots), where, "ND")
    tensors, arguments = arguments_of(
        kernel, attributes, dict(zip(kernel.inputs, found, strict=True)), str(formats[0]), where
    )
    return Call(kernel.spec.name, name, where, tensors, arguments, (), "mixed@ttk", kept={"ttk": dict(row)})


def _tensors(
    row: Row, shapes: str, prefix: str, slots: list[Argument], given: Sequence[Any], where: str, folder: Path
) -> list[Tensor]:
    count = len(slots)
    sizes = _per_tensor(row, f"{shapes}shapes", count, where, alike=False)
    dtypes = _per_tensor(row, f"{prefix}dtypes", count, where, "float32")
    ranges = _shortened(_cell(row, "input_data_ranges", where), count)
    files = _shortened(_cell(row, f"manual_{prefix}binaries", where), count)
    storages = _per_tensor(row, "tensor_storage_shapes", count, where, alike=False, needed=False)
    strides = _per_tensor(row, "tensor_view_strides", count, where, alike=False, needed=False)
    offsets = _per_tensor(row, "tensor_view_offsets", count, where, 0, alike=False)
    made = []
    for number, slot in enumerate(slots):
        place = f"{where}: {slot.name}"
        if sizes[number] is None:
            raise ValueError(f"{place} is not passed; expected a shape: the operator needs it")
        tensor = Tensor(
            dtype_of(dtypes[number], slot, where),
            sizes_of(sizes[number], f"{place}, shape"),
            of_ttk(ranges[number], f"{place}, input_data_ranges"),
            _storage(sizes[number], storages[number], strides[number], offsets[number], place),
        )
        made.append(_with_values(tensor, given[number], files[number], folder, place))
    return made


def _storage(shape: Any, storage: Any, strides: Any, offset: Any, where: str) -> Storage | None:
    if storage is None and strides is None and not offset:
        return None
    steps = None if strides is None else sizes_of(strides, f"{where}, strides")
    (start,) = sizes_of((offset or 0,), f"{where}, offset")
    return Storage(sizes_of(shape if storage is None else storage, f"{where}, storage"), steps, start)


def _with_values(tensor: Tensor, values: Any, file: Any, folder: Path, where: str) -> Tensor:
    """Values that the attributes or a file give."""
    if file:
        path = (folder / str(file)).resolve()
        if not path.is_relative_to(folder.resolve()):
            raise ValueError(f"{where} is read from {short(file)}; expected a file below {folder}: copy it there")
        return Tensor(tensor.dtype, tensor.shape, partial(tensor.load, path, where), tensor.storage)
    if not isinstance(values, list | tuple):
        return tensor
    try:
        array = np.array(values, facts(tensor.dtype).dtype).reshape(tensor.shape)
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"{where} has the values {short(values)}; expected {tensor.dtype} {tensor.shape}") from error
    return Tensor(tensor.dtype, tensor.shape, array.copy, tensor.storage)


def _tolerance(row: Row, dtype: str, where: str) -> Tolerance | None:
    """Of the first output, which holds the values: (rtol, share of misses); None where the line has none."""
    given = _cell(row, "precision_tolerances", where)
    atol = _cell(row, "absolute_precision", where)
    if given is None and atol is None:
        return None
    usual = Tolerance.of(dtype)
    given = (usual.rtol, usual.misses) if given is None else given
    pair = given[0] if isinstance(given, tuple | list) and given and isinstance(given[0], tuple | list) else given
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise ValueError(
            f"{where}: precision_tolerances is {short(given)}; expected (rtol, share of misses) for each output"
        )
    numbers = [_number(value, f"{where}: precision_tolerances") for value in pair]
    absolute = usual.atol if atol is None else _number(atol, f"{where}: absolute_precision")
    if not all(0 <= number < math.inf for number in (*numbers, absolute)):
        raise ValueError(f"{where}: the tolerances are {short((*numbers, absolute))}; expected numbers, none below 0")
    return Tolerance(numbers[0], numbers[1], absolute)


def _attributes(row: Row, where: str) -> dict[str, Any]:
    found = _cell(row, "attributes", where, {})
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
        raise ValueError(f"{where}: attributes is {short(found)}; expected a dictionary by parameter name")
    return found


def _per_tensor(
    row: Row, column: str, count: int, where: str, otherwise: Any = None, *, alike: bool = True, needed: bool = True
) -> list[Any]:
    """One value for each tensor; where values may be alike, one stands for all."""
    value = _cell(row, column, where)
    if value is None:
        if otherwise is None and needed:
            raise ValueError(f"{where} has no {column}; expected {count} values in a tuple")
        return [otherwise] * count
    items = [value] if isinstance(value, str) else list(value) if isinstance(value, tuple | list) else []
    items = items * count if alike and len(items) == 1 else items
    if len(items) != count:
        hint = " (outputs included)" if column.startswith("tensor_") else ""
        raise ValueError(f"{where}: {column} is {short(value)}; expected {count} values{hint}")
    return items


def _shortened(value: Any, count: int) -> list[Any]:
    items = list(value) if isinstance(value, tuple | list) else []
    return (items + [None] * count)[:count]


def _cell(row: Row, column: str, where: str, otherwise: Any = None) -> Any:
    text = row.get(column, "")
    return literal(text, f"{where}: {column}") if text.strip() else otherwise


def _number(value: Any, where: str) -> float:
    if value is None:
        return 0.0
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    raise ValueError(f"{where} is {short(value)}; expected a number")
