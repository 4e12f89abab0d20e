import json
import re
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bench.command import main
from bench.grid import Case, Indexed, Row, Upsample
from bench.measure import Effort, best_times, times_in_place
from bench.overhead import measure_overhead
from bench.peers import installed, jax, numpy, only_pytorch, ours, pytorch, torch_result
from bench.problems import Array, Problem, Result, build

from acltwin import _core
from acltwin.ops import OPERATORS
from bench import check, memory, runner

EXACT3D = "upsample_nearest_exact3d_backward"
UNPOOL = "max_unpool3d_backward"

TINY: dict[str, Case] = {
    operator: Upsample(operator, "float32", "tiny", 1.5)
    if spec.family == "upsample"
    else Indexed(operator, "float32", "tiny")
    for operator, spec in OPERATORS.items()
}


def test_competitors_take_turns_and_the_best_time_counts() -> None:
    turns: list[str] = []

    def slow() -> None:
        turns.append("slow")
        time.sleep(0.002)

    def fast() -> None:
        turns.append("fast")
        time.sleep(0.0005)

    best = best_times({"slow": slow, "fast": fast}, Effort(rounds=3, turns_in_a_row=1, warm_up=0))
    assert 0.0005 <= best["fast"] < best["slow"]
    assert turns[-6:] == ["slow", "fast"] * 3


def assert_close(result: Result, expected: Result) -> None:
    for own, right in zip(check.arrays(result), check.arrays(expected), strict=True):
        np.testing.assert_allclose(own, right, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_library_computes_the_same(operator: str) -> None:
    problem = build(TINY[operator])
    expected = ours(problem).allocate()
    check.check(problem, expected)
    if not only_pytorch(problem):
        assert_close(numpy(problem).allocate(), expected)
    if installed("torch"):
        out = problem.new_result()
        calls = pytorch(problem)
        assert calls.into is not None
        calls.into(out)()
        assert_close(out, expected)
        assert_close(torch_result(calls.allocate()), expected)
    if installed("jax") and not only_pytorch(problem):
        assert_close(jax(problem).allocate(), expected)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("with_torch", [True, False])
def test_a_wrong_result_is_found(monkeypatch: pytest.MonkeyPatch, dtype: str, with_torch: bool) -> None:
    monkeypatch.setattr(check, "installed", lambda library: with_torch and installed(library))
    problem = build(Upsample(EXACT3D, dtype, "tiny", 2.0))
    result = ours(problem).allocate()
    check.check(problem, result)
    result[0, 0, 1, 2, 3] += 1
    with pytest.raises(
        check.WrongResultError, match=r"1 of \d+ checked values are wrong; the first one, at \(0, 0, 1, 2, 3\)"
    ):
        check.check(problem, result)


@pytest.mark.parametrize("operator", OPERATORS)
def test_of_a_large_result_the_first_and_the_last_planes_are_checked(
    monkeypatch: pytest.MonkeyPatch, operator: str
) -> None:
    problem = build(replace(TINY[operator], size="medium"))
    result = ours(problem).allocate()
    monkeypatch.setattr(check, "CHECKED_BYTES", 2 << 20)
    check.check(problem, result)
    last = tuple(n - 1 for n in problem.result_shape)
    for place in ((0,) * len(last), last):
        for array in check.arrays(result):
            right = array[place]
            array[place] += 1
            with pytest.raises(check.WrongResultError, match=f"the first one, at {re.escape(str(place))}"):
                check.check(problem, result)
            array[place] = right


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_row_is_measured(operator: str) -> None:
    row = Row(TINY[operator], 1)
    problem = build(row.case)
    seconds = runner.measure_row(row, problem, runner.checked_result(problem), ["quiet", "in-place"])
    assert all(0 < time < 1 for time in seconds.values())
    expected = {"reuse", "allocate", "limit", "in_place", "torch_allocate", "torch_reuse", "torch_in_place"}
    assert set(seconds) == expected


def test_in_place_each_single_call_comes_behind_an_operator_of_pytorchs(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    turns: list[str] = []
    relu = torch.relu

    def watched(values: torch.Tensor) -> torch.Tensor:
        turns.append(f"{values.nbytes >> 20} MiB")
        return relu(values)

    monkeypatch.setattr(torch, "relu", watched)
    found = times_in_place({"a": lambda: turns.append("a"), "b": lambda: turns.append("b")}, 3)
    assert turns == ["9 MiB", "a", "9 MiB", "b"] * 5
    assert set(found) == {"a", "b"}


def test_a_wrong_row_is_reported_and_not_timed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(problem: Problem, result: Array) -> None:
        raise check.WrongResultError("made up")

    monkeypatch.setattr(runner, "check", refuse)
    assert main(["--filter", "exact2d tiny x2 threads=2"]) == 1
    assert "made up" in capsys.readouterr().out


def test_a_row_with_other_values_than_the_checked_result_is_refused() -> None:
    row = Row(TINY[UNPOOL], 2)
    problem = build(row.case)
    with pytest.raises(check.WrongResultError, match="on 2 threads"):
        runner.measure_row(row, problem, runner.checked_result(problem) + 1, ["quiet"])
    with pytest.raises(check.WrongResultError, match="tensors on 2 threads"):
        runner.measure_row(row, problem, runner.checked_result(problem) + 1, ["in-place"])


def test_overhead_of_a_tiny_call() -> None:
    result = measure_overhead(TINY[UNPOOL])
    assert 0 < result.numpy < 1e-3


@pytest.mark.skipif(not memory.measurable(), reason="the peak of a process can be reset on Linux only")
def test_peak_memory_sees_what_a_call_needs() -> None:
    size = 64 << 20
    assert memory.peak_of(lambda: np.ones(size, np.uint8)) == pytest.approx(size, rel=0.05)


def test_streaming_touches_only_its_buffers() -> None:
    source = np.arange(1000, dtype=np.uint8)
    target = np.zeros(5000, np.uint8)
    before = source.copy()
    _core.stream_limit(source[3:], target[100:-100], 2)
    np.testing.assert_array_equal(source, before)
    assert not target[:100].any()
    assert not target[-100:].any()
    assert np.count_nonzero(target[100:-100] == 0) < 2 * 64


def test_list_prints_rows_without_measuring(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list", "--filter", "max_unpool3d_backward float32 tiny"]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("max_unpool3d_backward float32 tiny")


def test_a_filter_that_matches_nothing_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--filter", "no such row"]) == 2
    assert "--list shows the rows" in capsys.readouterr().err


def test_a_run_goes_on_where_it_was_stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = tmp_path / "figures.json"
    options = ["--full", "--json", str(figures), "--resume", "--filter"]
    assert main([*options, "nearest_exact2d_backward float32 tiny x2 contiguous threads=2"]) == 0
    first = json.loads(figures.read_text())["rows"]
    capsys.readouterr()
    assert main([*options, "nearest_exact2d_backward float32 tiny contiguous"]) == 0
    rows = json.loads(figures.read_text())["rows"]
    assert len(first) == 1
    assert len(rows) == 6
    assert [row for row in rows if row["row"] == first[0]["row"]] == first  # not measured again
    assert "[5/5]" in capsys.readouterr().err


def test_a_run_adds_the_other_regime(tmp_path: Path) -> None:
    figures, table = tmp_path / "figures.json", tmp_path / "rows.csv"
    options = [
        "--json",
        str(figures),
        "--resume",
        "--filter",
        "max_unpool3d_backward float32 tiny threads=2",
        "--regime",
    ]
    assert main([*options, "quiet"]) == 0
    (quiet,) = json.loads(figures.read_text())["rows"]
    assert quiet["in_place_ratio"] is None
    assert main([*options, "both", "--csv", str(table)]) == 0
    (both,) = json.loads(figures.read_text())["rows"]
    assert both["in_place_ratio"] > 0
    assert both["seconds"]["reuse"] == quiet["seconds"]["reuse"]  # not measured again
    assert "max_unpool3d_backward" in table.read_text()


def test_figures_of_another_machine_are_not_mixed_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = tmp_path / "figures.json"
    for text, problem in (
        ('{"environment": {"the CPU": "another"}, "rows": []}', "do not mix"),
        ("[]", "not a file that --json has written"),
        ("", "Expecting value"),
    ):
        figures.write_text(text)
        assert main(["--json", str(figures), "--resume", "--filter", "tiny"]) == 2
        assert problem in capsys.readouterr().err
        assert figures.read_text() == text
    assert main(["--resume"]) == 2
    assert "--json FILE" in capsys.readouterr().err
