"""``acltwin run`` shows what it does, and notices a wrong result."""

from __future__ import annotations

import dataclasses

import pytest

from acltwin import cli, run
from acltwin.ops import OPERATORS


def test_every_documented_case_is_right(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run"]) == 0
    printed = capsys.readouterr().out
    for name in OPERATORS:
        assert f"call    acltwin.{name}(" in printed
    assert printed.count("ok      every element is as expected") == len(OPERATORS)
    assert "FAILED" not in printed


def test_a_wrong_result_is_reported(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    spec = OPERATORS["upsample_nearest3d_backward"]
    sample = dataclasses.replace(spec.example, expected=((36.0, 100.0, 164.0, 229.0),))
    monkeypatch.setattr(run, "OPERATORS", {spec.name: dataclasses.replace(spec, samples=(sample,))})
    assert cli.main(["run"]) == 1
    printed = capsys.readouterr().out
    assert "FAILED  expected float32 (2, 2, 1, 1, 1): 36 100 164 229" in printed
    assert "0 of 1 operators" in printed
