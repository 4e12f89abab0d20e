"""``acltwin score`` as a command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acltwin import golden
from acltwin.cli import main

CASES = """
import numpy as np
from acltwin import golden

def ones():
    tensors = {"grad_output": np.ones((1, 1, 2, 4), np.float32)}
    arguments = {"output_size": (2, 4), "input_size": (1, 1, 1, 2)}
    return [golden.Case.of("upsample_nearest_exact2d_backward", tensors, arguments)]

def none():
    return []

def wrong():
    return ["a case"]
"""


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    file = tmp_path / "my_cases.py"
    file.write_text(CASES)
    return file


def test_cases_of_ones_are_scored(cases: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = tmp_path / "score.json"
    assert main(["score", f"{cases}:ones", "--no-advice", "--json", str(written)]) == 1
    result = json.loads(written.read_text())
    assert capsys.readouterr().out.startswith(f"{result['caught']} of {result['total']} wrong implementations caught")
    assert 0 < result["caught"] < result["total"]


def test_our_own_cases_are_scored_by_the_operators_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "aclnnMaxUnpool3d", "--level", "quick", "--no-advice"]) == 1
    assert "not caught: tiling" in capsys.readouterr().out


def test_a_description_and_a_directory_of_cases_are_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cases.json"
    entry = {"input_size": [1, 2, 2, 3], "output_size": [3, 5]}
    content = {"operator": "upsample_nearest_exact2d_backward", "dtype": ["float16"], "fill": ["coded"]}
    file.write_text(json.dumps({**content, "cases": [entry]}))
    assert main(["score", str(file), "--no-advice"]) == 1
    printed = capsys.readouterr().out
    assert "caught by 1 case under bound" in printed
    assert main(["golden", str(file), "-o", str(tmp_path / "set")]) == 0
    capsys.readouterr()
    assert main(["score", str(tmp_path / "set"), "--no-advice"]) == 1
    assert capsys.readouterr().out == printed
    assert golden.score(file, advise=False).text() + "\n" == printed


def test_no_cases_are_no_success(cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", f"{cases}:none"]) == 4
    assert "nothing was run" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("{cases}:wrong", "returned str; expected cases"),
        ("{cases}:missing", "missing"),
        ("nowhere.py:ones", "there is no file nowhere.py"),
        ("no_such_module:ones", "no_such_module"),
        ("no_such_operator", "no operator is called 'no_such_operator'"),
    ],
)
def test_a_wrong_request_is_refused(cases: Path, source: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", source.format(cases=cases)]) == 2
    assert message in capsys.readouterr().err
