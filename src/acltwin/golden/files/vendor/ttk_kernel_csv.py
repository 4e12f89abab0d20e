"""TTK's tables of kernels: the same cases with the kernels' names, inputs and attributes. ``ttk_csv`` reads them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from acltwin.golden.cases.case import Case
from acltwin.golden.cases.dtypes import name_of
from acltwin.golden.files.vendor import Format, Written
from acltwin.golden.files.vendor.ttk_csv import Line, plane_cells, write_lines
from acltwin.golden.files.vendor.ttk_kernels import GATHER, attributes_of, kernel_arrays, kernels


def write(cases: Sequence[Case], path: Path) -> Written:
    return write_lines(cases, path, kernel_line)


def kernel_line(case: Case, name: str) -> Line:
    """ValueError for an operator whose kernel has no name here: the forward passes."""
    kernel = next((one for one in kernels().values() if one.spec is case.spec), None)
    if kernel is None:
        raise ValueError("the name of its kernel is not known; expected a gradient: write it as ttk-csv")
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


FORMAT = Format("ttk-kernel-csv", "TTK's table of kernels", write=write)
