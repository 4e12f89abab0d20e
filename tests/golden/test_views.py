"""Views in files: whoever receives them rebuilds the strides, the offset and the memory around."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin import golden
from acltwin.golden.cases.case import Case
from acltwin.golden.cases.dtypes import Array
from acltwin.golden.files import manifest
from acltwin.golden.files import tensors as files
from acltwin.golden.files import vendor as formats
from acltwin.golden.files.tensors import storage_of
from acltwin.golden.files.vendor import ttk_directory
from acltwin.golden.files.vendor.ttk_csv import lines

OPERATORS = ("upsample_nearest_exact2d_backward", "max_unpool3d", "max_pool3d_with_argmax_backward")


def views(operator: str, dtype: str = "bfloat16") -> list[Case]:
    cases = golden.cases(operator, level="full", dtypes=(dtype,))
    return [case for case in cases if case.is_view][:3]


def alike(first: Array, second: Array) -> bool:
    """The same elements in the same places of the same memory."""
    (mine, memory), (theirs, other) = storage_of(first), storage_of(second)
    return mine == theirs and first.shape == second.shape and memory.tobytes() == other.tobytes()


@pytest.mark.parametrize("file_format", ["npy", "bin", "pt"])
@pytest.mark.parametrize("operator", OPERATORS)
def test_the_manifest_says_how_a_view_lies_in_its_file(tmp_path: Path, operator: str, file_format: str) -> None:
    cases = views(operator)
    manifest.write(cases, tmp_path, file_format=file_format)
    entries = json.loads((tmp_path / "manifest.json").read_text())["cases"]
    for case, entry in zip(cases, entries, strict=True):
        described = {tensor["name"]: tensor for tensor in entry["tensors"]}
        assert "strides" not in described["out"]
        for name, made in case.inputs().items():
            tensor = described[name]
            memory = files.load(tmp_path / tensor["file"], tensor["dtype"], (tensor["storage"],))
            assert tensor["offset"] == 1
            assert files.sha256(memory) == tensor["sha256"]
            steps = [stride * memory.itemsize for stride in tensor["strides"]]
            rebuilt = np.lib.stride_tricks.as_strided(memory[tensor["offset"] :], tensor["shape"], steps)
            assert rebuilt.strides == made.strides
            assert rebuilt.tobytes() == made.tobytes()


def _without_description(directory: Path, change: Any = lambda tensor: None) -> list[Case]:
    """The cases as somebody else's manifest would have them: only the files say what the data are."""
    path = directory / "manifest.json"
    content = json.loads(path.read_text())
    for entry in content["cases"]:
        entry.pop("made_from")
        change(entry["tensors"][0])
    path.write_text(json.dumps(content))
    return manifest.load(directory).cases


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_view_is_read_from_its_file_with_the_memory_around_it(tmp_path: Path, operator: str) -> None:
    cases = views(operator)
    manifest.write(cases, tmp_path)
    for case, read in zip(cases, _without_description(tmp_path), strict=True):
        tensors = read.inputs()
        for name, made in case.inputs().items():
            assert alike(tensors[name], made)
            assert not np.shares_memory(tensors[name], read[name]), "new ones at every call"
        assert read.judge(getattr(acltwin, operator)(**tensors, **read.arguments)).passed


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda tensor: tensor.update(strides=[1]), r"has the strides \(1,\); expected 4, one for each size"),
        (lambda tensor: tensor.update(offset=9), r"offset 9 reaches element \d+; expected one below \d+"),
        (lambda tensor: tensor.update(storage=10**15), r"holds bfloat16 \(\d+,\); expected bfloat16"),
        (lambda tensor: tensor.update(strides=[-1, 1, 1, 1]), "strides .0. is -1; expected at least 0"),
    ],
)
def test_a_view_that_does_not_fit_its_file_is_refused(tmp_path: Path, change: Any, message: str) -> None:
    manifest.write(views(OPERATORS[0])[:1], tmp_path)
    with pytest.raises(ValueError, match=message):
        _without_description(tmp_path, change)[0].inputs()


def test_a_transposed_tensor_of_a_user_keeps_its_strides(tmp_path: Path) -> None:
    grad = np.arange(144, dtype=np.float32).reshape(2, 3, 6, 4).transpose(0, 1, 3, 2)
    case = Case.of(OPERATORS[0], {"grad_output": grad}, {"output_size": (4, 6), "input_size": (2, 3, 2, 3)})
    manifest.write([case], tmp_path / "set")
    formats.write([case], tmp_path / "ttk", "ttk")
    for read in (*manifest.load(tmp_path / "set").cases, *formats.read(tmp_path / "ttk")):
        assert read["grad_output"].strides == grad.strides
        assert np.array_equal(read["grad_output"], grad)


def test_sets_of_0_2_0_are_made_again(tmp_path: Path) -> None:
    """Their hashes of views are those of the elements alone."""
    cases = views(OPERATORS[0])
    hashes = {(c.operator, c.name, name): files.sha256(made) for c in cases for name, made in c.inputs().items()}
    manifest.write(cases, tmp_path, hashes=hashes)


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_ttk_directory_holds_the_storage_of_views(tmp_path: Path, operator: str) -> None:
    cases = [*views(operator), *golden.cases(operator, level="quick", dtypes=("float16",))[:1]]
    formats.write(cases, tmp_path, "ttk")
    rows = lines(tmp_path / "cases.csv")
    assert [bool(row["tensor_view_strides"]) for row in rows] == [case.is_view for case in cases]
    for case, (read, results) in zip(cases, ttk_directory.goldens(tmp_path, formats.Options()), strict=True):
        assert read.is_view == case.is_view
        assert all(alike(read[name], made) for name, made in case.inputs().items())
        assert read.judge(results).passed


def test_a_table_without_data_has_a_line_for_the_view(tmp_path: Path) -> None:
    cases = golden.cases(OPERATORS[0], level="full", dtypes=("float16",), fills=("coded", "special"))
    chosen = [case for case in cases if case.geometry and case.geometry.name == "factor50"]
    assert formats.write(chosen, tmp_path / "cases.csv", "ttk-csv").entries == 4  # coded data have more channels
    assert sum(bool(row["tensor_view_strides"]) for row in lines(tmp_path / "cases.csv")) == 2
