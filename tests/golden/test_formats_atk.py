"""ATK JSON: read, run, judged, written back and read again; broken and hostile files are refused."""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin import golden
from acltwin.golden.cases.case import Case
from acltwin.golden.files import vendor as formats
from support import registry


def attr(name: str, value: Any, kind: str = "attr") -> dict[str, Any]:
    return {"name": name, "type": kind, "required": True, "dtype": "int", "shape": None, "range_values": value}


def attrs(name: str, *values: Any) -> list[dict[str, Any]]:
    return [attr(name, value, "attrs") for value in values]


def tensor(name: str, dtype: str, shape: list[int], values: Any) -> dict[str, Any]:
    return {"name": name, "type": "tensor", "required": True, "dtype": dtype, "shape": shape, "range_values": values}


UPSAMPLE = {
    "id": 0,
    "name": "torch.nn.functional.interpolate",
    "aclnn_name": "UpsampleNearestExact2dBackward",
    "api_type": "upsample_nearestexact2d_backward",
    "standard": {"acc": "single_bm", "perf": "not_key"},
    "inputs": [
        tensor("input", "fp16", [1, 2, 4, 5], {"name": "nd", "mean": [-1, 1], "std": [1, 2]}),
        attr("mode", "nearest-exact"),
        attrs("scale_factor", 1.75, 1.6),
        attr("outputSize_int", 3),
        attr("format", "NCHW"),
    ],
}
UNPOOL = {
    "id": 1,
    "aclnn_name": "MaxUnpool3dBackward",
    "standard": {"acc": "md5"},
    "inputs": [
        tensor("gradOutput", "fp32", [2, 3, 4, 6, 8], [-5, 5]),
        tensor("self", "fp32", [2, 3, 2, 3, 4], ["-inf", "inf"]),
        tensor("indices", "int64", [2, 3, 2, 3, 4], [0, 100000]),
        attrs("outputSize", 4, 6, 8),
        attrs("stride", 2, 2, 2),
        attrs("padding", 0, 0, 0),
    ],
}
POOL = {
    "id": 2,
    "api_type": "max_pool3d_with_argmax_backward",
    "standard": {"acc": {"single_bm": {"type": "high_precision", "fp16_error": "2**-10", "fp16_eb": 0.001}}},
    "is_boundary": False,
    "inputs": [
        tensor("gradOutput", "bf16", [1, 2, 2, 3, 4], [-1, 1]),
        tensor("self", "bf16", [1, 2, 4, 6, 8], [-9, 9]),
        tensor("indices", "int32", [1], None),
        attrs("kernelSize", 2, 2, 2),
        attrs("stride", 2, 2, 2),
        attrs("padding", 0, 0, 0),
        attrs("dilation", 1, 1, 1),
        attr("ceilMode", False),
    ],
}
EXAMPLES = [UPSAMPLE, UNPOOL, POOL]


def write_json(path: Path, content: Any) -> Path:
    path.write_text(json.dumps(content))
    return path


def read(path: Path, data: formats.Data = "both", **options: Any) -> list[Case]:
    return formats.read(path, formats.Options(data=data, **options))


def result_of(case: Case) -> Any:
    return getattr(acltwin, case.operator)(**case.inputs(), **case.arguments)


@pytest.mark.parametrize("data", ["file", "ours", "both"])
def test_cases_are_read_run_and_judged(tmp_path: Path, data: formats.Data) -> None:
    cases = read(write_json(tmp_path / "atk.json", EXAMPLES), data)
    assert {case.operator for case in cases} == {
        "upsample_nearest_exact2d_backward",
        "max_unpool3d_backward",
        "max_pool3d_with_argmax_backward",
    }
    assert len({case.name for case in cases}) == len(cases)
    assert {case.name.endswith("/file") for case in cases} == {"file": {True}, "ours": {False}, "both": {True, False}}[
        data
    ]
    for case in cases:
        right = result_of(case)
        assert case.judge(right).passed, case.name
        wrong = right.copy()
        cell = next(place for place in np.ndindex(wrong.shape) if np.isfinite(float(wrong[place])))
        wrong[cell] = 0 if abs(float(wrong[cell])) > 1 else 7
        assert not case.judge(wrong).passed, case.name


def test_sizes_scales_and_ranges_are_those_of_the_file(tmp_path: Path) -> None:
    cases = read(write_json(tmp_path / "atk.json", EXAMPLES), "file")
    upsample, unpool, pool = cases
    assert upsample.arguments["output_size"] == (7, 8)
    assert upsample.arguments["input_size"] == (1, 2, 4, 5)
    assert (upsample.arguments["scales_h"], upsample.arguments["scales_w"]) == (1.75, 1.6)
    assert (upsample["grad_output"] == 1).all()  # as the vendor does
    assert unpool["indices"].max() == 4 * 6 * 8 - 1  # cut to the plane
    assert np.abs(unpool["grad_output"]).max() <= 5
    assert len(np.unique(unpool["grad_output"])) > 100
    _, places = acltwin.max_pool3d_with_argmax(pool["input"], 2)
    np.testing.assert_array_equal(pool["indices"], places)


def test_bit_equality_counts_where_the_file_asks_for_it(tmp_path: Path) -> None:
    (case,) = read(write_json(tmp_path / "atk.json", [UNPOOL]), "file")
    assert case.asks == "binary"
    right = result_of(case)
    right.ravel()[0] = 0.0
    case = Case.of(case.operator, {**case.inputs(), "grad_output": np.zeros_like(case["grad_output"])}, case.arguments)
    asking = golden.Case(**{**vars(case), "asks": "binary"})
    negative = -np.zeros_like(right)
    assert golden.judge(case, negative).passed  # -0 is +0 to the bound
    verdict = golden.judge(asking, negative)
    assert not verdict.passed
    assert "asks for binary, which fails" in verdict.text()


def test_written_back_and_read_again(tmp_path: Path) -> None:
    cases = read(write_json(tmp_path / "atk.json", EXAMPLES))
    written = formats.write(cases, tmp_path / "again.json", "atk")
    assert written.entries == 3
    assert json.loads((tmp_path / "again.json").read_text()) == EXAMPLES
    again = read(tmp_path / "again.json")
    assert [case.name for case in again] == [case.name for case in cases]
    for old, new in zip(cases, again, strict=True):
        for name, array in old.inputs().items():
            np.testing.assert_array_equal(array.view(np.uint8), new[name].view(np.uint8))


@pytest.mark.parametrize("operator", registry.representatives())
def test_our_own_cases_go_there_and_back(tmp_path: Path, operator: str) -> None:
    cases = golden.cases(operator, level="quick")
    written = formats.write(cases, tmp_path / "ours.json", "atk")
    assert written.entries > 0
    again = read(tmp_path / "ours.json", "file")
    assert len(again) == written.entries
    calls = [{name: value for name, value in case.arguments.items() if value != 0.0} for case in cases]
    for case in again:
        assert {name: value for name, value in case.arguments.items() if value != 0.0} in calls
        assert case.judge(result_of(case)).passed
    for name, reason in written.left_out:
        assert "do not give the size" in reason, name


def broken(change: Any, base: dict[str, Any] = UPSAMPLE) -> Any:
    entry = copy.deepcopy(base)
    change(entry)
    return [entry]


HOSTILE = {
    "not a list": ({"cases": []}, r"expected a list of cases"),
    "not an object": ([5], r"case 0 is 5; expected an object"),
    "unknown operator": (broken(lambda e: e.update(aclnn_name="Abs", api_type="x")), r"'Abs'.*expected one of"),
    "huge shape": (
        broken(lambda e: e["inputs"][0].update(shape=[2**20, 2**20, 2**20, 5])),
        r"has \d+ bytes; expected at most \d+: make it smaller",
    ),
    "huge scale": (broken(lambda e: e["inputs"].__setitem__(2, attrs("scale_factor", 2e9, 2e9))), r"expected at most"),
    "negative size": (broken(lambda e: e["inputs"][0].update(shape=[1, 2, -4, 5])), r"none below 0"),
    "size in words": (broken(lambda e: e["inputs"][0].update(shape="[1, 2]")), r"list of whole numbers"),
    "code in a threshold": (
        broken(lambda e: e.update(standard={"acc": {"single_bm": {"fp16_error": "__import__('os').system('x')"}}})),
        r"fp16_error is .*expected a number, or text like 2\*\*-10",
    ),
    "wrong dtype": (
        broken(lambda e: e["inputs"][0].update(dtype="complex64")),
        r"'complex64'; expected one of float32",
    ),
    "wrong mode": (
        broken(lambda e: e["inputs"][1].update(range_values="bilinear")),
        r"'bilinear'; expected 'nearest-ex",
    ),
    "too few scales": (broken(lambda e: e["inputs"][2].append(attr("scale_factor", 1))), r"3 values; expected 1 or 2"),
    "no size": (broken(lambda e: e["inputs"].pop(2)), r"neither size nor scale_factor"),
    "two names": (broken(lambda e: e["inputs"][2].append(attr("size", 1))), r"objects of the same name"),
    "swapped range": (broken(lambda e: e["inputs"][0].update(range_values=[5, 1])), r"from 5 to 1; .*swap"),
    "no window": (broken(lambda e: e["inputs"].__setitem__(3, attrs("kernelSize", 0, 2, 2)), POOL), r"above 0"),
    "no stride": (broken(lambda e: e["inputs"].__setitem__(4, attrs("stride", 0, 2, 2)), POOL), r"above 0"),
    "sizes that contradict": (
        broken(lambda e: e["inputs"][0].update(shape=[1, 2, 2, 3, 5]), POOL),
        r"gradOutput has the shape \(1, 2, 2, 3, 5\); expected \(1, 2, 2, 3, 4\)",
    ),
    "twice the same id": ([UPSAMPLE, UPSAMPLE], r"case 1 has the id of .*case 0; expected every id once"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_broken_files_are_refused_with_what_was_expected(tmp_path: Path, name: str) -> None:
    content, message = HOSTILE[name]
    path = write_json(tmp_path / "atk.json", content)
    with pytest.raises(ValueError, match=message) as refusal:
        read(path)
    assert str(path) in str(refusal.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (json.dumps(EXAMPLES)[:-40].encode(), "is the file cut short"),
        (b"[" * 100_000, "nested too deeply"),
        (b"\xff\xfe[]", "is not UTF-8 text at byte 0"),
        (b"", "is not JSON"),
    ],
)
def test_truncated_and_nested_files(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "atk.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read(path)


def test_a_case_that_expects_an_error_is_left_out_and_named(tmp_path: Path) -> None:
    options = formats.Options(data="file")
    path = write_json(tmp_path / "atk.json", [UNPOOL, {**UPSAMPLE, "expected_error_msg": "wrong shape"}])
    assert len(formats.read(path, options)) == 1
    assert "case 1 expects an error" in options.notes[0]


def test_empty_tensors_have_one_case(tmp_path: Path) -> None:
    entry = broken(lambda e: e["inputs"][0].update(shape=[0, 2, 4, 5]))
    (case,) = read(write_json(tmp_path / "atk.json", entry), "ours")
    assert case.judge(result_of(case)).passed


@pytest.mark.parametrize(
    ("values", "check"),
    [
        (3, lambda a: (a == 3).all()),
        (["nan"], lambda a: np.isnan(a).all()),
        (["-inf"], lambda a: (a == -math.inf).all()),
        ([-1, 2], lambda a: a.min() < -0.9 and 1.9 < a.max() <= 2),
        (["-inf", "inf"], lambda a: np.isfinite(a).all() and np.abs(a).max() > 1e38),
        ({"name": "nd", "mean": [5, 5], "std": [2, 2]}, lambda a: abs(a.mean() - 5) < 0.3 and abs(a.std() - 2) < 0.3),
    ],
)
def test_range_values(tmp_path: Path, values: Any, check: Any) -> None:
    def change(entry: dict[str, Any]) -> None:
        entry["inputs"][0].update(range_values=values, shape=[2, 3, 10, 10, 10])
        entry["inputs"][1].update(shape=[2, 3, 2, 3, 4])
        entry["inputs"][3] = attrs("outputSize", 10, 10, 10)

    (case,) = read(write_json(tmp_path / "atk.json", broken(change, UNPOOL)), "file")
    assert check(case["grad_output"])
