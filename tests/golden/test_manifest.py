"""Sets of cases on disk: the same bytes again, and no file that is believed blindly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from acltwin import golden
from acltwin.cli import main
from acltwin.golden.cases.case import Case
from acltwin.golden.cases.cases import described
from acltwin.golden.cases.dtypes import facts, rounded
from acltwin.golden.files import manifest, read_description
from acltwin.golden.files import tensors as files
from acltwin.ops import OPERATORS


def _same(first: Case, second: Case) -> bool:
    mine, theirs = first.inputs(), second.inputs()
    return mine.keys() == theirs.keys() and all(mine[name].tobytes() == theirs[name].tobytes() for name in mine)


@pytest.mark.parametrize("file_format", ["npy", "bin", "pt"])
def test_a_set_is_made_again_from_its_manifest(tmp_path: Path, file_format: str) -> None:
    cases = [case for name in OPERATORS for case in golden.cases(name, level="quick", seed=3)[::9]]
    size = manifest.write(cases, tmp_path, file_format=file_format, level="quick", seed=3)
    assert size > 0
    made = manifest.load(tmp_path)
    assert (made.level, made.seed) == ("quick", 3)
    assert [case.name for case in made.cases] == [case.name for case in cases]
    assert all(_same(*pair) for pair in zip(cases, made.cases, strict=True))
    content = json.loads((tmp_path / "manifest.json").read_text())
    for entry in content["cases"]:
        for tensor in entry["tensors"]:
            array = files.load(tmp_path / tensor["file"], tensor["dtype"], tuple(tensor["shape"]))
            assert files.sha256(array) == tensor["sha256"]
    manifest.write(made.cases, tmp_path / "again", file_format=file_format, hashes=made.hashes)


def test_data_that_come_out_differently_are_noticed(tmp_path: Path) -> None:
    cases = golden.cases("max_unpool3d", level="quick")[:1]
    manifest.write(cases, tmp_path)
    hashes = dict.fromkeys(manifest.load(tmp_path).hashes, "0" * 64)
    with pytest.raises(ValueError, match="came out differently"):
        manifest.write(cases, tmp_path / "again", hashes=hashes)


def test_cases_with_data_from_elsewhere_are_read_from_their_files(tmp_path: Path) -> None:
    grad = np.arange(8, dtype=ml_dtypes.bfloat16).reshape(1, 1, 2, 4)
    arguments = {"output_size": (2, 4), "input_size": (1, 1, 1, 2), "scales_h": 0.0, "scales_w": 0.0}
    case = Case.of("upsample_nearest_exact2d_backward", {"grad_output": grad}, arguments, name="mine")
    manifest.write([case], tmp_path)
    again = manifest.load(tmp_path).cases[0]
    assert again.dtype == "bfloat16"
    assert _same(case, again)
    assert again.arguments["input_size"] == (1, 1, 1, 2)
    again.check(case.expected().value.astype(ml_dtypes.bfloat16))
    np.save(tmp_path / "cases" / "mine" / "grad_output.npy", np.zeros((1, 1, 2, 4), np.uint16))
    with pytest.raises(ValueError, match="is not what the manifest says"):
        again.inputs()


def _manifest(tmp_path: Path, change: Any) -> Path:
    manifest.write(golden.cases("max_unpool3d", level="quick")[:1], tmp_path)
    path = tmp_path / "manifest.json"
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda m: m.update(schema="acltwin-golden/2"),
            "has the schema 'acltwin-golden/2'; expected 'acltwin-golden/1'; update acltwin",
        ),
        (lambda m: m.pop("seed"), "has no 'seed'"),
        (lambda m: m.update(seed="0"), "seed is '0'; expected a whole number"),
        (lambda m: m.update(seed=True), "seed is True; expected a whole number"),
        (lambda m: m["cases"][0].update(tensors={}), r"cases \[0\], tensors is \{\}; expected a list"),
        (lambda m: m["cases"][0]["tensors"][0].update(shape=[-1]), r"shape \[0\] is -1; expected at least 0"),
        (lambda m: m["cases"][0]["tensors"][0].update(role="in"), "role is 'in'; expected one of input, output, bound"),
        (lambda m: m["cases"][0]["tensors"][0].update(sha256="x"), "sha256 is 'x'; expected 64 hexadecimal digits"),
        (lambda m: m["cases"][0]["made_from"].pop("fill"), "made_from, fill is None; expected one of 'coded'"),
        (lambda m: m["cases"][0]["made_from"].update(batch=3), "made_from, batch is 3; expected a list"),
        (lambda m: m["cases"][0]["made_from"].update(name="other"), "max_unpool3d other; expected one"),
        (lambda m: m["cases"][0]["made_from"]["geometry"].update(spans=[2, 1, 1]), "geometry is .* by its own sizes"),
        (
            lambda m: m["cases"][0]["made_from"]["arguments"].update(stride=[3, 3, 3]),
            "arguments are .* by its geometry",
        ),
        (lambda m: m["cases"][0]["made_from"].update(operator="rm"), "is of an unknown operator, 'rm'"),
        (lambda m: m["cases"][0].update(made_from={}, operator="rm"), "no operator is called 'rm'"),
        (lambda m: m["cases"][0].update(made_from={}, tensors=[]), r"has the inputs \[\]; expected input, indices"),
    ],
)
def test_a_manifest_that_does_not_fit_is_refused(tmp_path: Path, change: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        manifest.load(_manifest(tmp_path, change))


HUGE = [10**9, 10**9, 10**9]


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m["cases"][0]["made_from"]["geometry"].update(source=HUGE),
        lambda m: m["cases"][0]["made_from"].update(batch=HUGE[:2]),
        lambda m: m["cases"][0]["made_from"]["arguments"].update(output_size=HUGE),
        lambda m: m["cases"][0].update(made_from={}, arguments={"output_size": HUGE}),
    ],
)
def test_sizes_beyond_all_bounds_are_refused(tmp_path: Path, change: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = _manifest(tmp_path, change)
    assert main(["verify", "a:b", str(path.parent)]) == 2
    assert "bytes; expected at most 268435456: allow more with --max-bytes" in capsys.readouterr().err


def test_a_description_beyond_all_bounds_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "huge.json"
    entry = {"input_size": [1, 1, *HUGE], "output_size": HUGE}
    path.write_text(json.dumps({"operator": "upsample_nearest3d_backward", "cases": [entry]}))
    assert main(["golden", str(path), "-o", str(tmp_path / "set")]) == 2
    assert "huge.json, case 0 has the sizes" in capsys.readouterr().err


def test_a_wrong_hash_is_a_wrong_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _manifest(tmp_path, lambda m: m["cases"][0]["tensors"][0].update(sha256="0" * 64))
    assert main(["golden", "--from", str(path), "-o", str(tmp_path / "again")]) == 2
    assert "came out differently; SHA-256" in capsys.readouterr().err


@pytest.mark.parametrize("content", ["", "{", '{"schema": "acltwin-golden/1"', "[" * 100_000, '{"schema": 1}'])
def test_a_truncated_manifest_is_a_wrong_request(
    tmp_path: Path, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "manifest.json").write_text(content)
    assert main(["verify", "a:b", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(f"acltwin verify: {tmp_path / 'manifest.json'}")


def test_unknown_keys_are_kept(tmp_path: Path) -> None:
    assert manifest.load(_manifest(tmp_path, lambda m: m.update(note="mine"))).cases


def test_files_outside_the_directory_are_not_read(tmp_path: Path) -> None:
    def change(content: Any) -> None:
        content["cases"][0].pop("made_from")
        content["cases"][0]["tensors"][0]["file"] = "../secret.npy"

    case = manifest.load(_manifest(tmp_path / "set", change)).cases[0]
    with pytest.raises(ValueError, match="lies outside the directory"):
        case.inputs()


@pytest.mark.parametrize(
    ("name", "directory"),
    [
        ("frac-up/float16/coded", "frac-up__float16__coded"),
        ("a b/c", "a_b__c-"),
        ("x" * 200, "x" * 107 + "-"),
        ("../../etc", ".._"),
    ],
)
def test_names_of_directories(name: str, directory: str) -> None:
    made = files.directory_name(name)
    assert made.startswith(directory)
    assert len(made) <= 120
    assert set(made) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")


def test_different_names_have_different_directories() -> None:
    names = ["a b", "a_b", "a/b", "x" * 200, "x" * 201]
    assert len({files.directory_name(name) for name in names}) == len(names)


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY\x01\x00", b"PK\x03\x04", b"not an array"])
def test_broken_arrays_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.npy"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"a\.npy"):
        files.load_array(path)


def test_a_header_that_promises_too_much_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.zeros(4))
    raw = path.read_bytes().replace(b"(4,)", b"(4000000000000,)"[:16])
    path.write_bytes(raw[:9] + raw[9:])
    with pytest.raises(ValueError, match="cannot be read"):
        files.load_array(path)
    short = tmp_path / "a.bin"
    short.write_bytes(b"1234")
    with pytest.raises(ValueError, match="has 4 bytes; expected 8"):
        files.load(short, "float32", (2,))


def test_a_pickle_is_never_opened(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.array([{"a": 1}], object), allow_pickle=True)
    with pytest.raises(ValueError, match="cannot be read"):
        files.load_array(path)


YAML = """
operator: upsample_nearest_exact3d_backward
dtype: [float16, bfloat16]
fill: [coded, special]
cases:
  - {input_size: [1, 2, 4, 5, 6], output_size: [8, 9, 11], scales: [2.0, 1.8, 1.9], format: NDHWC}
  - {input_size: [2, 2, 3], output_size: [4, 4, 5]}
"""


def test_descriptions_are_products(tmp_path: Path) -> None:
    path = tmp_path / "cases.yaml"
    path.write_text(YAML)
    cases = read_description(path)
    assert len(cases) == 8
    assert cases[0].arguments["data_format"] == "NDHWC"
    assert cases[0].arguments["scales_h"] == 1.8
    for case in cases:
        value = case.expected().value
        assert case.judge(rounded(value, facts(case.dtype).dtype)).passed


@pytest.mark.parametrize(
    ("operator", "entry"),
    [
        ("max_pool3d_with_argmax", {"input_size": [2, 4, 5, 6], "kernel_size": 2, "padding": 1, "ceil_mode": True}),
        ("max_pool3d_with_argmax_backward", {"input_size": [1, 2, 4, 5, 6], "kernel_size": [1, 2, 3], "stride": 1}),
        ("max_unpool3d", {"input_size": [1, 2, 2, 2, 2], "output_size": [4, 4, 4]}),
        ("max_unpool3d_backward", {"input_size": [2, 2, 2, 2], "output_size": [4, 4, 4]}),
        ("upsample_nearest_exact2d", {"input_size": [2, 3], "output_size": [4, 4], "format": "NHWC"}),
    ],
)
def test_every_family_can_be_described(operator: str, entry: dict[str, Any]) -> None:
    import acltwin

    for case in described({"operator": operator, "cases": [entry]}):
        result = getattr(acltwin, operator)(**case.inputs(), **case.arguments)
        assert case.judge(result).passed


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "is not a mapping"),
        ({"operator": "max_unpool3d"}, "no list of cases"),
        ({"operator": "max_unpool3d", "cases": [], "case": 1}, "the unknown key 'case'"),
        ({"operator": "max_unpool3d", "cases": [{"input_size": [1, 2, 2]}]}, "input_size is .* expected 4 or 5"),
        ({"operator": "max_unpool3d", "cases": [{"sizes": [1]}]}, "unknown key 'sizes'"),
        (
            {"operator": "max_unpool3d", "cases": [{"input_size": [1, 1, 2, 2, 2], "output_size": [1, 1, 1]}]},
            "has fewer cells",
        ),
        (
            {
                "operator": "max_unpool3d",
                "fill": "real",
                "cases": [{"input_size": [1, 1, 1, 1], "output_size": [1, 1, 1]}],
            },
            "has no fill 'real'",
        ),
    ],
)
def test_descriptions_that_do_not_fit_are_refused(content: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        described(content)
