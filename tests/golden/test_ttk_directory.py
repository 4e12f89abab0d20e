"""TTK's directory of data, byte by byte, and what is refused."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin import golden
from acltwin.cli import main
from acltwin.golden.cases.case import Case
from acltwin.golden.files import manifest
from acltwin.golden.files import vendor as formats
from acltwin.golden.files.vendor import ttk_directory
from acltwin.golden.files.vendor.ttk_csv import lines, save_lines
from support import registry


def small(operator: str = "max_pool3d_with_argmax_backward", count: int = 3) -> list[Case]:
    return golden.cases(operator, level="quick", dtypes=("float16",))[:count]


def test_every_byte_of_a_directory(tmp_path: Path) -> None:
    cases = small()
    written = formats.write(cases, tmp_path / "ttk", "ttk")
    assert written.entries == len(cases)
    assert sorted(path.name for path in (tmp_path / "ttk").iterdir()) == ["cases.csv", "data", "manifest.json"]
    rows = lines(tmp_path / "ttk" / "cases.csv")
    assert [row["testcase_name"] for row in rows] == [case.name.replace("/", "__") for case in cases]
    assert sorted(path.name for path in (tmp_path / "ttk" / "data").iterdir()) == sorted(
        row["testcase_name"] for row in rows
    )
    for case in cases:
        folder = tmp_path / "ttk" / "data" / case.name.replace("/", "__")
        arguments: dict[str, Any] = dict(case.arguments)
        out = acltwin.max_pool3d_with_argmax_backward(**case.inputs(), **arguments)
        sizes = "x".join(map(str, out.shape))
        expected = {
            "input_0_float16.bin": case["grad_output"],  # the order of the C function
            "input_1_float16.bin": case["input"],
            "input_2_int32.bin": case["indices"],
            f"golden_0_float16__shape_{sizes}.bin": out,
        }
        assert {path.name for path in folder.iterdir()} == set(expected)
        for name, array in expected.items():
            little = array.astype(array.dtype.newbyteorder("<"))
            assert (folder / name).read_bytes() == little.tobytes("C"), name


@pytest.mark.parametrize("file_format", ["bin", "npy", "pt"])
@pytest.mark.parametrize("operator", registry.representatives())
def test_written_and_read_again(tmp_path: Path, operator: str, file_format: str) -> None:
    cases = golden.cases(operator, level="quick")[:4]
    ttk_directory.write(cases, tmp_path, file_format)
    for again in (formats.read(tmp_path), manifest.load(tmp_path).cases):
        assert len(again) == len(cases)
        for old, new in zip(cases, again, strict=True):
            assert dict(old.arguments) == dict(new.arguments)
            for name, array in old.inputs().items():
                assert array.tobytes() == new[name].tobytes()
    found = list(ttk_directory.goldens(tmp_path, formats.Options()))
    assert len(found) == len(cases)
    for case, results in found:
        assert case.judge(results).passed


def test_bfloat16_and_channels_last(tmp_path: Path) -> None:
    cases = golden.cases("upsample_nearest3d_backward", dtypes=("bfloat16",), fills=("coded",))
    cases = [case for case in cases if case.arguments.get("data_format")][:2]
    assert cases
    formats.write(cases, tmp_path, "ttk")
    assert all(case.judge(results).passed for case, results in ttk_directory.goldens(tmp_path, formats.Options()))
    assert len(list(tmp_path.glob("data/*/input_0_bfloat16.bin"))) == len(cases)


def test_the_storage_of_a_view(tmp_path: Path) -> None:
    """A line by somebody else: the input file holds the memory, the table says how to look at it."""
    folder = tmp_path / "data" / "view"
    folder.mkdir(parents=True)
    memory = np.arange(100, dtype=np.float32)
    (folder / "input_0_fp32.bin").write_bytes(memory.tobytes())
    row = {
        "testcase_name": "view",
        "api_name": "aclnnUpsampleNearestExact2dBackward",
        "tensor_view_shapes": "((1,1,2,4),(1,1,2,4))",
        "tensor_dtypes": "('fp32',)",
        "tensor_storage_shapes": "((100,),(1,1,2,4))",
        "tensor_view_strides": "((8,8,4,1),(8,8,4,1))",
        "tensor_view_offsets": "(10,0)",
        "attributes": "{'outputSize': [2,4], 'inputSize': [1,1,2,4], 'scalesH': 0.0, 'scalesW': 0.0}",
    }
    save_lines([row], tmp_path / "cases.csv")
    (case,) = formats.read(tmp_path)
    assert case["grad_output"].ravel().tolist() == list(range(10, 18))
    save_lines([{**row, "tensor_view_offsets": "(95,0)"}], tmp_path / "cases.csv")
    with pytest.raises(ValueError, match="reaches element 102; expected one below 100"):
        formats.read(tmp_path)[0].inputs()


def test_a_kernel_of_planes(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "g"
    folder.mkdir(parents=True)
    x = np.arange(12, dtype=np.float32).reshape(2, 6)
    index = np.array([[5, 0, 5], [1, 2, 3]])
    gathered = np.take_along_axis(x, index, 1)
    (folder / "input_0_float32.bin").write_bytes(x.tobytes())
    (folder / "input_1_int64.bin").write_bytes(index.tobytes())
    (folder / "golden_0_float32__shape_2x3.bin").write_bytes(gathered.tobytes())
    row = {
        "testcase_name": "g",
        "op_name": "gather_elements",
        "input_shapes": "((2,6),(2,3))",
        "input_dtypes": "('float32','int64')",
        "attributes": "{'dim': 1}",
    }
    save_lines([row], tmp_path / "cases.csv")
    ((case, results),) = ttk_directory.goldens(tmp_path, formats.Options())
    assert case.judge(results).passed


def command(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(list(words))
    out, err = capsys.readouterr()
    return status, out, err


def test_the_command_judges_the_goldens(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = str(tmp_path / "ttk")
    words = ("golden", "max_unpool3d_backward", "--level", "quick", "--dtype", "float32", "--format", "ttk")
    status, out, _ = command(capsys, *words, "-o", directory)
    assert status == 0
    assert f"MB, in {directory}" in out
    status, out, _ = command(capsys, "compare", "--ttk", directory)
    assert (status, out.split(",")[1]) == (0, " 0 of them wrong by bound\n")
    path = next(path for path in Path(directory).glob("data/*coded/golden_0_*"))
    path.write_bytes(bytes(4) + path.read_bytes()[4:])
    status, out, _ = command(capsys, "compare", "--ttk", directory)
    assert status == 1
    assert "1 of " in out
    assert path.parent.name in out


@pytest.mark.parametrize(
    ("breakage", "message"),
    [
        ("changed", r"has the SHA-256 [0-9a-f]{64}; expected [0-9a-f]{64} by the manifest"),
        ("truncated", r"has \d+ bytes; expected \d+"),
        ("header", r"cannot be read"),
        ("stranger", r"does not belong there; expected files like"),
        ("missing", r"has the inputs \[1, 2\]; expected \[0, 1, 2\]"),
        ("none", r"says that grad_output is not passed; expected a tensor"),
        ("dtype", r"is of float32; expected float16 by cases.csv"),
        ("shape", r"has the shape \(1, 1\); expected"),
        ("no shape", r"does not say its shape; expected __shape_"),
        ("no folder", r"there is no directory"),
        ("link", r"does not belong there"),
        ("pickle", r"cannot be read"),
        ("newer manifest", r"update acltwin"),
    ],
)
def test_broken_directories_are_refused(tmp_path: Path, breakage: str, message: str) -> None:
    formats.write(small(count=1), tmp_path, "ttk")
    (folder,) = (tmp_path / "data").iterdir()
    path = folder / "input_0_float16.bin"
    golden_path = next(folder.glob("golden_0_*"))
    if breakage == "changed":
        path.write_bytes(bytes(2) + path.read_bytes()[2:-2] + b"\x01\x3c")
    elif breakage == "truncated":
        path.write_bytes(path.read_bytes()[:-1])
    elif breakage == "header":  # 2^60 elements in a file of some bytes
        path.unlink()
        text = b"{'descr': '<f2', 'fortran_order': False, 'shape': (1152921504606846976,), }"
        header = text.ljust(117) + b"\n"
        (folder / "input_0_float16.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
    elif breakage == "stranger":
        (folder / "notes.txt").write_text("hello")
    elif breakage == "missing":
        path.unlink()
    elif breakage == "none":
        path.unlink()
        (folder / "input_0_none.bin").write_bytes(b"")
    elif breakage == "dtype":
        path.rename(folder / "input_0_float32.bin")
    elif breakage == "shape":
        golden_path.rename(folder / "golden_0_float16__shape_1x1.bin")
    elif breakage == "no shape":
        golden_path.rename(folder / "golden_0_float16.bin")
    elif breakage == "no folder":
        folder.rename(tmp_path / "data" / "other")
    elif breakage == "link":
        path.rename(tmp_path / "elsewhere")
        path.symlink_to(tmp_path / "elsewhere")
    elif breakage == "pickle":
        path.unlink()
        (folder / "input_0_float16.pt").write_bytes(b"cos\nsystem\n(S'touch pwned'\ntR.")
    elif breakage == "newer manifest":
        content = json.loads((tmp_path / "manifest.json").read_text())
        (tmp_path / "manifest.json").write_text(json.dumps({**content, "schema": "acltwin-golden/2"}))
    with pytest.raises(ValueError, match=message):
        judge_all(tmp_path)


def judge_all(directory: Path) -> None:
    for case, results in ttk_directory.goldens(directory, formats.Options()):
        case.judge(results)


def test_a_name_that_leaves_the_directory(tmp_path: Path) -> None:
    formats.write(small(count=1), tmp_path / "x", "ttk")
    (row,) = lines(tmp_path / "x" / "cases.csv")
    save_lines([{**row, "testcase_name": ".."}], tmp_path / "x" / "cases.csv")
    with pytest.raises(ValueError, match="there is no directory"):
        formats.read(tmp_path / "x")


def test_a_directory_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"expected cases\.csv and data/"):
        list(ttk_directory.goldens(tmp_path, formats.Options()))
    with pytest.raises(ValueError, match="of no known format"):
        formats.read(tmp_path)
