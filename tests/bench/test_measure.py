import json
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bench.cases import OPERATORS, Case, Row, has_window, is_adaptive
from bench.command import main
from bench.grid import indexed, upsampling
from bench.measure import Effort, best_times, times_in_place
from bench.overhead import measure_overhead
from bench.peers import installed, jax, numpy, only_pytorch, ours, pytorch, torch_result
from bench.problems import Array, Problem, Result, build

from bench import check, memory, onednn, runner
from support import registry

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
EXACT3D = "upsample_nearest_exact3d_backward"
UNPOOL = "max_unpool3d_backward"

TINY: dict[str, Case] = {
    operator: indexed(spec, "float32", "tiny")
    if has_window(spec)
    else upsampling(spec, "float32", "tiny", 0.3 if is_adaptive(spec) else 1.5)
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


def test_the_time_of_the_thread_does_not_count_waiting() -> None:
    best = best_times({"waiting": lambda: time.sleep(0.01)}, Effort(2, 1, 0), clock=time.thread_time)
    assert best["waiting"] < 0.005


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
    problem = build(upsampling(OPERATORS[EXACT3D], dtype, "tiny", 2.0))
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
    problem = build(replace(TINY[operator], batch=(2, 64)))
    result = ours(problem).allocate()
    monkeypatch.setattr(check, "CHECKED_BYTES", problem.bytes // 4)
    check.check(problem, result)
    last = tuple(n - 1 for n in problem.result_shape)
    for place in ((0,) * len(last), last):
        for array in check.arrays(result):
            right = array[place]
            array[place] += 1
            with pytest.raises(check.WrongResultError, match=f"the first one, at {re.escape(str(place))}"):
                check.check(problem, result)
            array[place] = right


@pytest.mark.parametrize("operator", [name for name in registry.representatives() if name in OPERATORS])
def test_a_row_is_measured(operator: str) -> None:
    row = Row(TINY[operator], 1)
    seconds = runner.measure_row(row, ["quiet", "in-place"])
    assert all(0 < time < 1 for time in seconds.values())
    expected = {"reuse", "allocate", "in_place", "torch_allocate", "torch_reuse", "torch_in_place"}
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
    assert main(["--grid", "--filter", "exact2d tiny threads=2"]) == 1
    assert "made up" in capsys.readouterr().out


def test_a_row_with_other_values_than_the_checked_result_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    row, checked = Row(TINY[UNPOOL], 2), runner.checked_result
    monkeypatch.setattr(runner, "checked_result", lambda problem: checked(problem) + 1)
    with pytest.raises(check.WrongResultError, match="on 2 threads"):
        runner.measure_row(row, ["quiet"])
    with pytest.raises(check.WrongResultError, match="tensors on 2 threads"):
        runner.measure_row(row, ["in-place"])


def test_a_row_that_loses_is_measured_again_with_more_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    repeats: list[int] = []

    def made_up(competitors: object, repeat: int, clock: object) -> dict[str, float]:
        repeats.append(repeat)
        return {"in_place": 1.0, "torch_in_place": 0.9 if repeat == 1 else 1.1}

    monkeypatch.setattr(runner, "times_in_place", made_up)
    assert runner.measure_row(Row(TINY[UNPOOL], 1), ["in-place"])["torch_in_place"] == 1.1
    assert repeats == [1, runner.AGAIN]


def test_overhead_of_a_tiny_call() -> None:
    result = measure_overhead(TINY[UNPOOL])
    assert 0 < result.numpy < 1e-3


@pytest.mark.skipif(not memory.measurable(), reason="the peak of a process can be reset on Linux only")
def test_peak_memory_sees_what_a_call_needs() -> None:
    """In a process of its own, as figures are taken: here an earlier test may have left such memory."""
    size = 64 << 20
    program = f"import numpy as np; from bench import memory; print(memory.peak_of(lambda: np.ones({size}, np.uint8)))"
    done = subprocess.run([sys.executable, "-c", program], cwd=BENCHMARKS, capture_output=True, text=True, check=True)
    assert int(done.stdout) == pytest.approx(size, rel=0.05)


def test_list_prints_rows_without_measuring(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--rows", "5", "--seed", "8", "--list"]) == 0
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) == 5
    assert "seed 8" in shown.err


def test_a_new_seed_each_time_unless_one_is_given(capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for _ in range(2):
        main(["--rows", "1", "--list"])
        texts.append(capsys.readouterr().err)
    assert texts[0] != texts[1]


def test_a_filter_that_matches_nothing_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--filter", "no such row"]) == 2
    assert "--list shows the rows" in capsys.readouterr().err


SOME = ["--grid", "--filter"]


def test_a_run_goes_on_where_it_was_stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures, table = tmp_path / "figures.json", tmp_path / "rows.csv"
    options = ["--json", str(figures), "--resume", "--regime"]
    assert main([*SOME, "nearest_exact2d_backward float32 tiny threads=2", *options, "quiet"]) == 0
    (quiet,) = json.loads(figures.read_text())["rows"]
    assert "in_place" not in quiet["seconds"]
    assert main([*SOME, "exact2d float32 tiny threads=2", *options, "both", "--csv", str(table)]) == 0
    rows = {row["row"]: row["seconds"] for row in json.loads(figures.read_text())["rows"]}
    assert len(rows) == 2
    assert rows[quiet["row"]]["reuse"] == quiet["seconds"]["reuse"]  # not measured again
    assert rows[quiet["row"]]["in_place"] > 0
    assert "upsample_nearest_exact2d_backward" in table.read_text()


def test_other_peers_are_measured_where_they_are_asked_for(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    options = ["--json", str(figures), "--regime", "quiet", "--peers", "jax", "numpy", "onednn"]
    assert main([*SOME, "nearest_exact2d_backward float32 tiny threads=2", *options]) == 0
    (row,) = json.loads(figures.read_text())["rows"]
    expected = {"jax", "numpy"} | ({"onednn"} if onednn.available() else set())
    assert expected == set(row["seconds"]) & {"jax", "numpy", "onednn"}


def test_figures_of_another_machine_are_not_mixed_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = tmp_path / "figures.json"
    for text, problem in (
        ('{"environment": {"the CPU": "another"}, "rows": []}', "do not mix"),
        ("[]", "not a file that --json has written"),
        ("", "Expecting value"),
    ):
        figures.write_text(text)
        assert main(["--json", str(figures), "--resume", "--grid", "--filter", "tiny"]) == 2
        assert problem in capsys.readouterr().err
        assert figures.read_text() == text
    assert main(["--resume", "--grid"]) == 2
    assert "--json FILE" in capsys.readouterr().err
    assert main(["--resume"]) == 2
    assert "--seed" in capsys.readouterr().err
