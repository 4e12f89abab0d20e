"""TTK's tables: read, run, judged, written back and read again; broken and hostile tables are refused."""

from __future__ import annotations

import builtins
import csv
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin import golden
from acltwin.golden.cases.case import Case
from acltwin.golden.files import manifest
from acltwin.golden.files import vendor as formats
from acltwin.golden.judge.vendor_rules import Tolerance
from acltwin.ops import OPERATORS
from support import registry

ACLNN = {
    "testcase_name": "up_0",
    "api_name": "aclnnUpsampleNearest3dBackward",
    "tensor_view_shapes": "((1,2,4,6,8),(1,2,2,3,4))",
    "tensor_dtypes": "('float16',)",
    "tensor_formats": "('NCDHW',)",
    "attributes": "{'outputSize': [4,6,8], 'inputSize': [1,2,2,3,4], 'scalesD': 0.0, 'scalesH': 0.0, 'scalesW': 0.0}",
    "output_tensor_indexes": "(1,)",
    "input_data_ranges": "((-2,2),None)",
}
POOL = {
    "testcase_name": "pool_0",
    "op_name": "max_pool3d_grad_with_argmax",
    "input_shapes": "((1,2,4,6,8),(1,2,2,3,4),(1,2,2,3,4))",
    "input_dtypes": "('bf16','bf16','int32')",
    "input_formats": "('ND',)",
    "output_shapes": "((1,2,4,6,8),)",
    "attributes": "{'ksize': [2], 'strides': [2,2,2], 'pads': [0,0,0], 'ceil_mode': False, 'data_format': 'NCDHW'}",
}
GATHER = {
    "op_name": "gather_elements",
    "input_shapes": "((6,40),(6,12))",
    "input_dtypes": "('float32','int64')",
    "attributes": "{'dim': 1}",
    "input_data_ranges": "((-3,3,0.5),(0,1000))",
}


def table(path: Path, *rows: dict[str, str]) -> Path:
    columns = list(dict.fromkeys(column for row in rows for column in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="")
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(text.getvalue())
    return path


def read(path: Path, data: formats.Data = "both", **options: Any) -> list[Case]:
    return formats.read(path, formats.Options(data=data, **options))


def result_of(case: Case) -> Any:
    return getattr(acltwin, case.operator)(**case.inputs(), **case.arguments)


@pytest.mark.parametrize("rows", [(ACLNN,), (POOL,), (GATHER,)])
def test_lines_are_read_run_judged_and_written_back(tmp_path: Path, rows: tuple[dict[str, str], ...]) -> None:
    path = table(tmp_path / "cases.csv", *rows)
    cases = read(path)
    assert len({case.name for case in cases}) == len(cases) > 2
    for case in cases:
        right = result_of(case)
        assert case.judge(right).passed, case.name
        wrong = right.copy()
        cell = next(place for place in np.ndindex(wrong.shape) if np.isfinite(float(wrong[place])))
        wrong[cell] = 0 if abs(float(wrong[cell])) > 1 else 7
        assert not case.judge(wrong).passed, case.name
    assert formats.write(cases, tmp_path / "again.csv", "ttk-csv").entries == len(rows)
    again = read(tmp_path / "again.csv")
    assert [case.name for case in again] == [case.name for case in cases]
    for old, new in zip(cases, again, strict=True):
        for name, array in old.inputs().items():
            assert array.tobytes() == new[name].tobytes()


def test_ranges_and_values_are_those_of_the_table(tmp_path: Path) -> None:
    row = {**ACLNN, "input_data_ranges": "((3, 3), None)"}
    (case,) = read(table(tmp_path / "cases.csv", row), "file")
    assert (case["grad_out"] == 3).all()
    (gather,) = read(table(tmp_path / "cases.csv", GATHER), "file")
    assert gather.name.startswith("auto_testcase_name_0/")
    assert (gather["grad_output"] == 0.5).any()
    assert gather["indices"].max() == 39
    row = {**GATHER, "input_shapes": "((1,4),(1,3))", "attributes": "{'dim': -1, 'index': [[3, 0, 2]]}"}
    (given,) = read(table(tmp_path / "cases.csv", row), "file")
    assert given["indices"].ravel().tolist() == [3, 0, 2]


def test_channels_last(tmp_path: Path) -> None:
    row = {**ACLNN, "tensor_formats": "('NDHWC',)", "tensor_view_shapes": "((1,4,6,8,2),(1,2,3,4,2))"}
    for case in read(table(tmp_path / "cases.csv", row)):
        assert case.arguments["data_format"] == "NDHWC"
        assert case.judge(result_of(case)).passed


@pytest.mark.parametrize("format_name", ["ttk-csv", "ttk-kernel-csv"])
@pytest.mark.parametrize("operator", registry.representatives())
def test_our_own_cases_go_there_and_back(tmp_path: Path, operator: str, format_name: str) -> None:
    cases = golden.cases(operator, level="quick")
    written = formats.write(cases, tmp_path / "ours.csv", format_name)
    if format_name == "ttk-kernel-csv" and not OPERATORS[operator].is_gradient:
        assert written.entries == 0
        assert len(written.left_out) == len(cases)
        return
    again = read(tmp_path / "ours.csv", "file")
    assert len(again) == written.entries > 0
    assert not written.left_out
    if OPERATORS[operator].family != "unpool" or format_name == "ttk-csv":
        ours = [dict(case.arguments) for case in cases]
        assert all(dict(case.arguments) in ours for case in again)
    for case in again:
        assert case.judge(result_of(case)).passed


@pytest.mark.parametrize("tolerances", ["((0.1,0.25),)", "(0.1,0.25)", "[(0.1,0.25),(0.5,0.5)]"])
def test_the_tolerances_of_a_line_count_where_a_rule_has_them(tmp_path: Path, tolerances: str) -> None:
    line = {**ACLNN, "precision_tolerances": tolerances, "absolute_precision": "0.5"}
    case = read(table(tmp_path / "a.csv", line), "file")[0]
    right = case.expected().value.astype(np.float16)
    cells = right.size
    shifted = right + np.float16(0.45)  # below atol
    assert case.judge(shifted, "close").passed
    assert not read(table(tmp_path / "b.csv", ACLNN), "file")[0].judge(shifted, "close").passed
    missed = right.copy()
    missed.ravel()[: cells // 4] += np.float16(100)
    assert case.judge(missed, "close").passed
    missed.ravel()[cells // 4] += np.float16(100)
    verdict = case.judge(missed, "close")
    assert not verdict.passed
    assert verdict.detail == f"{cells // 4 + 1} of {cells} elements miss rtol 0.1, atol 0.5; 25.00% may"
    assert "(0.9 needed)" in case.judge(right, "cosine").detail
    assert not case.judge(shifted).passed, "no other rule looks at them"
    formats.write([case], tmp_path / "again.csv", "ttk-csv")
    again = read(tmp_path / "again.csv", "ours")[0]
    assert again.tolerance == case.tolerance
    manifest.write([case, again], tmp_path / "set")
    assert [one.tolerance for one in manifest.load(tmp_path / "set").cases] == [case.tolerance] * 2


def test_an_absolute_tolerance_alone(tmp_path: Path) -> None:
    case = read(table(tmp_path / "a.csv", {**ACLNN, "absolute_precision": "0.5"}), "file")[0]
    assert case.tolerance == Tolerance(1e-3, 1e-3, 0.5)


def test_lines_that_are_switched_off_are_left_out_and_named(tmp_path: Path) -> None:
    off = {**ACLNN, "testcase_name": "off", "is_enabled": "False"}
    elsewhere = {**ACLNN, "testcase_name": "elsewhere", "soc_series": "('Ascend310P',)"}
    not_here = {**ACLNN, "testcase_name": "not", "soc_series": "('-Ascend310P',)"}
    options = formats.Options(data="file")
    cases = formats.read(table(tmp_path / "cases.csv", off, elsewhere, not_here), options)
    assert [case.name for case in cases] == ["not/float16/file"]
    assert "line 2 was left out: is_enabled is False" in options.notes[0]
    assert "line 3 was left out: soc_series" in options.notes[1]


HOSTILE = {
    "code in attributes": ({"attributes": "{'outputSize': __import__('os').system('true')}"}, r"not executed"),
    "code in shapes": ({"tensor_view_shapes": "[(1,)*9 for _ in range(9)]"}, r"expected a Python literal"),
    "arithmetic": ({"tensor_view_shapes": "((9**9**9,),)"}, r"expected a Python literal"),
    "nested": ({"attributes": "(" * 5000}, r"expected a Python literal"),
    "code in what is not used": ({"precision_tolerances": "open('/etc/passwd')"}, r"precision_tolerances is"),
    "huge shape": (
        {
            "tensor_view_shapes": "((1048576,1048576,4,6,8),(1048576,1048576,2,3,4))",
            "attributes": "{'outputSize': [4,6,8], 'inputSize': [1048576,1048576,2,3,4]}",
        },
        r"has \d+ bytes; expected at most \d+: make it smaller",
    ),
    "huge size": (
        {"attributes": "{'outputSize': [4,6,8], 'inputSize': [1,2,999999999999,3,4]}"},
        r"expected a product",
    ),
    "e2e": ({"api_name": "torch.nn.functional.interpolate"}, r"end-to-end run.*expected an aclnn name"),
    "unknown operator": ({"api_name": "aclnnAbs"}, r"'aclnnAbs'; expected one of"),
    "wrong dtype": ({"tensor_dtypes": "('int4',)"}, r"'int4'; expected one of float32"),
    "too few tensors": ({"tensor_view_shapes": "((1,2,4,6,8),)"}, r"expected 2 values \(outputs included\)"),
    "wrong output": (
        {"tensor_view_shapes": "((1,2,4,6,8),(1,2,2,3,5))"},
        r"output 0 has the shape .*expected \(1, 2, 2",
    ),
    "wrong input": ({"tensor_view_shapes": "((1,2,4,6,9),(1,2,2,3,4))"}, r"gradOut has the shape .*expected \(1, 2, 4"),
    "wrong outputs": ({"output_tensor_indexes": "(0,)"}, r"expected \(1,\) for aclnnUpsampleNearest3dBackward"),
    "unknown attribute": ({"attributes": "{'outputsize': [4,6,8]}"}, r"'outputsize'; expected names of"),
    "scale in words": (
        {"attributes": "{'outputSize': [4,6,8], 'inputSize': [1,2,2,3,4], 'scalesD': '2'}"},
        r"a number",
    ),
    "file elsewhere": ({"manual_tensor_binaries": "('../../etc/passwd', None)"}, r"expected a file below"),
    "missing attribute": ({"attributes": "{}"}, r"has no outputSize; expected a list of numbers"),
    "a null tensor": ({"tensor_view_shapes": "(None, (1,2,2,3,4))"}, r"gradOut is not passed; expected a shape"),
    "half a range": ({"input_data_ranges": "((1,),)"}, r"expected \(min, max\)"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_broken_lines_are_refused_with_what_was_expected(tmp_path: Path, name: str) -> None:
    change, message = HOSTILE[name]
    path = table(tmp_path / "cases.csv", {**ACLNN, **change})
    with pytest.raises(ValueError, match=message) as refusal:
        read(path)
    assert f"{path}, line 2" in str(refusal.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"a,b\n1,2\n", "expected api_name"),
        (b"api_name,api_name\nx,y\n", "twice"),
        (b"api_name,attributes\naclnnUpsampleNearest3dBackward\n", "line 2 has 1 cells; expected 2"),
        (b'api_name,attributes\naclnnUpsampleNearest3dBackward,"{', "quotation mark"),
        (b"op_name\nconv2d\n", "'conv2d'; expected one of"),
        (b"api_name\n\xff\n", "not UTF-8"),
    ],
)
def test_tables_that_are_none(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "cases.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read(path)


def test_the_same_name_twice(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"line 3 has the testcase_name of .*line 2; expected every name once"):
        read(table(tmp_path / "cases.csv", ACLNN, ACLNN))


def test_a_workbook_without_openpyxl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def lacking(name: str, *rest: Any) -> Any:
        if name == "openpyxl":
            raise ImportError(name)
        return original(name, *rest)

    monkeypatch.setattr(builtins, "__import__", lacking)
    (tmp_path / "cases.xlsx").write_bytes(b"")
    with pytest.raises(ValueError, match="pip install openpyxl, or save it"):
        read(tmp_path / "cases.xlsx")


def test_a_workbook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through openpyxl's own interface, as far as the reader uses it: the package itself is not needed for this."""
    import zipfile

    class Sheet:
        def iter_rows(self, values_only: bool) -> list[tuple[Any, ...]]:
            assert values_only
            return [tuple(ACLNN), tuple(ACLNN.values()), (None,) * len(ACLNN)]

    class Book:
        sheetnames = ("first", "second")

        def __getitem__(self, name: str) -> Sheet:
            return Sheet()

    class Module:
        @staticmethod
        def load_workbook(path: Path, **options: bool) -> Book:
            assert options == {"read_only": True, "data_only": True}
            return Book()

    monkeypatch.setitem(sys.modules, "openpyxl", Module)
    path = tmp_path / "cases.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("sheet.xml", "x")
    (case,) = read(path, "file")
    assert case.name == "up_0/float16/file"
    with pytest.raises(ValueError, match="no sheet 'third'; expected one of first, second"):
        read(path, "file", sheet="third")
    path.write_bytes(b"not a zip")
    with pytest.raises(ValueError, match=r"is not an \.xlsx workbook"):
        read(path, "file")
