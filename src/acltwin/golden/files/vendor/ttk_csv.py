"""TTK's tables of cases: .csv, or .xlsx with openpyxl. Lines of aclnn functions and of kernels are read and written."""

from __future__ import annotations

import csv
import io
import math
import zipfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from acltwin._writing import write_text
from acltwin.golden.cases.case import Case, c_value
from acltwin.golden.cases.checked import LARGEST_FILE, short, text_of
from acltwin.golden.cases.dtypes import name_of
from acltwin.golden.cases.family import flowing_name
from acltwin.golden.files.tensors import Storage, directory_name, packed, storage_of
from acltwin.golden.files.vendor import Format, Options, Written
from acltwin.golden.files.vendor.calls import Call, call_key, cases_of
from acltwin.golden.files.vendor.ttk_kernels import GATHER, attributes_of, kernel_arrays, kernel_of
from acltwin.golden.files.vendor.ttk_rows import call_of, is_wanted, operator_of

Line = dict[str, str]


def read(path: Path, options: Options) -> list[Case]:
    return [case for call in calls(path, options) for case in cases_of(call, options)]


def calls(path: Path, options: Options) -> Iterator[Call]:
    """The calls that a table describes; lines that are switched off are noted."""
    names: dict[str, str] = {}
    for number, row in enumerate(lines(path, options.sheet)):
        where = f"{path}, line {number + 2}"
        why = is_wanted(row, operator_of(row, where), where)
        if why:
            options.notes.append(f"{where} was left out: {why}")
            continue
        call = call_of(row, where, number, path.parent)
        if call.name in names:
            raise ValueError(f"{where} has the testcase_name of {names[call.name]}; expected every name once")
        names[call.name] = where
        yield call


def lines(path: Path, sheet: str = "") -> list[Line]:
    table = _sheet(path, sheet) if path.suffix == ".xlsx" else _csv(path)
    if not table or not any(table[0]):
        raise ValueError(f"{path} is empty; expected a first line of column names")
    header = [name.strip() for name in table[0]]
    doubled = sorted({name for name in header if name and header.count(name) > 1})
    if doubled:
        raise ValueError(f"{path} has the column {doubled[0]!r} twice; expected every column once")
    if "api_name" not in header and "op_name" not in header:
        raise ValueError(f"{path} has the columns {short(header)}; expected api_name (aclnn) or op_name (kernel)")
    found = []
    for number, cells in enumerate(table[1:], 2):
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(header):
            raise ValueError(
                f"{path}, line {number} has {len(cells)} cells; expected {len(header)}, as the first line: is the file "
                "cut short, or a tuple without quotation marks?"
            )
        found.append(dict(zip(header, cells, strict=True)))
    return found


def _csv(path: Path) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO(text_of(path), newline=""), strict=True))
    except csv.Error as error:
        raise ValueError(f"{path} is not CSV: {error}; is a quotation mark missing?") from error


def _sheet(path: Path, sheet: str) -> list[list[str]]:
    try:
        import openpyxl  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError as error:
        raise ValueError(f"reading {path} needs openpyxl: pip install openpyxl, or save it as .csv") from error
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(item.file_size for item in archive.infolist())
        if size > LARGEST_FILE:
            raise ValueError(f"{path} unpacks to {size} bytes; expected at most {LARGEST_FILE}: split it")
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} is not an .xlsx workbook: {error}") from error
    if sheet and sheet not in book.sheetnames:
        raise ValueError(f"{path} has no sheet {sheet!r}; expected one of {', '.join(book.sheetnames)}")
    chosen = book[sheet or book.sheetnames[0]]
    return [["" if cell is None else str(cell) for cell in row] for row in chosen.iter_rows(values_only=True)]


def write(cases: Sequence[Case], path: Path) -> Written:
    """One line for a geometry, dtype and layout: the table holds no data, so fills make no difference to it."""
    return write_lines(cases, path, aclnn_line, lambda case: f"{call_key(case)} {case.is_view}")


def write_lines(
    cases: Sequence[Case], path: Path, line_of: Callable[[Case, str], Line], key_of: Callable[[Case], str] = call_key
) -> Written:
    found: dict[str, Line] = {}
    left_out: list[tuple[str, str]] = []
    for case in cases:
        original = case.kept.get("ttk")
        key = repr(original) if original else key_of(case)
        if key in found:
            continue
        try:
            found[key] = dict(original) if original else line_of(case, case_name(case, cases))
        except ValueError as error:
            left_out.append((f"{case.operator} {case.name}", str(error)))
    save_lines(list(found.values()), path)
    return Written(len(found), tuple(left_out))


def save_lines(rows: Sequence[Line], path: Path) -> None:
    columns = list(dict.fromkeys(column for row in rows for column in row))
    table = io.StringIO()
    writer = csv.DictWriter(table, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(path, table.getvalue())


def case_name(case: Case, cases: Sequence[Case]) -> str:
    """Of the line and of the directory of its data; the operator is part of it where there are several."""
    several = len({one.operator for one in cases}) > 1
    return directory_name(f"{case.operator}/{case.name}" if several else case.name)


def aclnn_line(case: Case, name: str) -> Line:
    """The line of a call of the aclnn function; tensors in the C function's order, outputs included."""
    spec = case.spec
    tensors = case.inputs()
    results = dict(zip((result.name for result in spec.results), case.result_shapes(), strict=True))
    slots = [argument for argument in spec.arguments if argument.kind == "tensor"]
    shapes, dtypes, ranges, storages = [], [], [], []
    cells = plane_cells(case)
    for slot in slots:
        if slot.role == "output":
            dtype, shape = results[slot.name]
            storages.append(Storage(shape))
        else:
            tensor = tensors[slot.python_name]
            dtype, shape = name_of(tensor.dtype), tensor.shape
            storages.append(storage_of(tensor)[0])
        shapes.append(tuple(shape))
        dtypes.append(dtype)
        ranges.append(None if slot.role == "output" else (0, cells - 1) if slot.holds == "indices" else (-2, 2))
    values = {argument.name: c_value(case, argument) for argument in spec.inputs if argument.kind != "tensor"}
    attributes = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
    return {
        "testcase_name": name,
        "api_name": spec.c_name,
        "tensor_view_shapes": repr(tuple(shapes)),
        "tensor_dtypes": repr(tuple(dtypes)),
        "tensor_formats": repr((case.format_name,)),
        "attributes": repr(attributes),
        "output_tensor_indexes": repr(tuple(n for n, slot in enumerate(slots) if slot.role == "output")),
        "input_data_ranges": repr(tuple(ranges)),
        **(_view_columns(storages, shapes) if any(storage.strides for storage in storages) else {}),
    }


def _view_columns(storages: Sequence[Storage], shapes: Sequence[tuple[int, ...]]) -> Line:
    strides = (storage.strides or packed(shape) for storage, shape in zip(storages, shapes, strict=True))
    return {
        "tensor_storage_shapes": repr(tuple(storage.shape for storage in storages)),
        "tensor_view_strides": repr(tuple(strides)),
        "tensor_view_offsets": repr(tuple(storage.offset for storage in storages)),
    }


def plane_cells(case: Case) -> int:
    """Of the plane that indices point into: of unpooling the larger side."""
    sizes: Any = case.arguments.get("output_size")
    if sizes is None:
        tensors = case.inputs()
        sizes = tensors.get("input", tensors[flowing_name(case.spec)]).shape[-len(case.spec.axes) :]
    return math.prod(sizes)


FORMAT = Format("ttk-csv", "TTK's table of cases", (".csv", ".xlsx"), read, write)


# ---- the same cases with the kernels' names, inputs and attributes ----


def kernel_line(case: Case, name: str) -> Line:
    """ValueError for an operator whose kernel has no name here: the forward passes."""
    if not case.spec.is_gradient:
        raise ValueError("the name of its kernel is not known; expected a gradient: write it as ttk-csv")
    case = case.indexed
    kernel = kernel_of(case.spec)
    arrays = kernel_arrays(kernel, case)
    ((dtype, shape),) = case.result_shapes()
    result = arrays[1].shape if kernel.name == GATHER else tuple(shape)
    holds = {argument.python_name: argument.holds for argument in case.spec.inputs}
    last = plane_cells(case) - 1
    ranges = tuple((0, last) if holds[one] == "indices" else (-2, 2) for one in kernel.inputs)
    return {
        "testcase_name": name,
        "op_name": kernel.name,
        "input_shapes": repr(tuple(array.shape for array in arrays)),
        "input_dtypes": repr(tuple(name_of(array.dtype) for array in arrays)),
        "input_formats": repr((case.format_name,)),
        "output_shapes": repr((result,)),
        "output_dtypes": repr((dtype,)),
        "output_formats": repr((case.format_name,)),
        "attributes": repr(attributes_of(kernel, case)),
        "input_data_ranges": repr(ranges),
    }


KERNELS = Format("ttk-kernel-csv", "TTK's table of kernels", write=partial(write_lines, line_of=kernel_line))
