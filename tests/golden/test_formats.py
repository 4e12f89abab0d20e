"""What all formats share: discovery, literals, and the commands' options."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import acltwin
from acltwin import golden
from acltwin.cli import main
from acltwin.golden.files import vendor as formats
from acltwin.golden.files.vendor.values import literal, threshold


def test_formats_are_found_by_their_files() -> None:
    assert {"atk", "ttk", "ttk-csv", "ttk-kernel-csv"} <= set(formats.formats())
    assert set(formats.writers()) == {name for name, one in formats.formats().items() if one.write}
    with pytest.raises(ValueError, match="no format is called 'x'; expected one of"):
        formats.write([], "y", "x")


@pytest.mark.parametrize("value", ["2**-10", " 2 ** -10 ", 2.0**-10, "0.0009765625"])
def test_thresholds(value: object) -> None:
    assert threshold(value, "here") == 2.0**-10


@pytest.mark.parametrize("value", ["2**9999", "2**-10+1", "2**2**9", "__import__('os')", "", None, True, [], "0**-1"])
def test_what_is_no_threshold(value: object) -> None:
    with pytest.raises(ValueError, match="here is"):
        threshold(value, "here")


@pytest.mark.parametrize("text", ["print(1)", "[x for x in (1,)]", "1+1", "(", "9" * 5000, "x", "", "lambda: 0"])
def test_what_is_no_literal(text: str) -> None:
    with pytest.raises(ValueError, match="expected a Python literal"):
        literal(text, "here")


def test_a_literal_that_is_too_long() -> None:
    with pytest.raises(ValueError, match="expected at most 1000000: shorten it"):
        literal("(" + "1," * 600_000 + ")", "here")


@pytest.mark.parametrize("name", ["ttk", "ttk-csv", "ttk-kernel-csv", "atk"])
def test_one_number_for_all_axes_and_defaults_can_be_written(tmp_path: Path, name: str) -> None:
    """The array functions take them; the files, like the C functions, have lists."""
    seen = np.arange(128, dtype=np.float32).reshape(1, 2, 4, 4, 4)
    values, indices = acltwin.max_pool3d_with_argmax(seen, 2)
    tensors = {"grad_output": values, "input": seen, "indices": indices}
    case = golden.Case.of("max_pool3d_with_argmax_backward", tensors, {"kernel_size": 2})
    path = tmp_path / {"ttk": "set", "atk": "cases.json"}.get(name, "cases.csv")
    assert formats.write([case], path, name).entries == 1
    again = formats.read(path)[0].arguments
    assert again["kernel_size"] == (2, 2, 2)
    assert again["stride"] in ((), (2, 2, 2))
    assert again["padding"] == (0, 0, 0)


def test_the_commands_read_what_golden_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernel = tmp_path / "kernel.py"
    kernel.write_text("import acltwin\nright = acltwin.max_unpool3d_backward\n")
    for name in ("cases.json", "cases.csv"):
        path = tmp_path / name
        form = "atk" if path.suffix == ".json" else "ttk-csv"
        words = ["golden", "max_unpool3d_backward", "--level", "quick", "--dtype", "float32"]
        assert main([*words, "--format", form, "-o", str(path)]) == 0
        run = ["verify", f"{kernel}:right", str(path), "--data", "both", "--json", str(tmp_path / "run.json")]
        assert main(run) == 0
        assert golden.score(path, advise=False).caught > 0
    path.write_text("api_name,attributes\naclnnMaxUnpool3dBackward,exit()\n")
    assert main(["verify", f"{kernel}:right", str(path)]) == 2
    assert "not executed" in capsys.readouterr().err


def test_a_format_that_says_nothing_is_not_a_success(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["golden", "max_unpool3d", "--level", "quick", "--format", "ttk-kernel-csv", "-o", str(tmp_path / "x.csv")]
    assert main(words) == 4
    assert "was left out: the name of its kernel is not known" in capsys.readouterr().err
