"""Which rows are measured: a sample that nobody chose, and the fixed grid."""

from itertools import product

import pytest
from bench.cases import LAYOUTS, OPERATORS, Row, Window, dtypes_of, window
from bench.command import main
from bench.grid import grid_rows, memory_cases, tiny_cases
from bench.runner import fixed, on_one_thread, sampled
from bench.sample import LEAST_CELLS, MOST_BYTES, sample_rows


def test_a_seed_gives_the_same_rows_and_another_one_others() -> None:
    assert sample_rows(50, 1) == sample_rows(50, 1)
    assert sample_rows(50, 1) != sample_rows(50, 2)


def test_a_sample_has_all_that_users_may_have() -> None:
    rows = sample_rows(10_000, 5)
    cases = [row.case for row in rows]
    assert {(case.operator, case.dtype) for case in cases} == {
        (name, dtype) for name, spec in OPERATORS.items() for dtype in dtypes_of(spec)
    }
    assert {(case.operator, case.layout) for case in cases} == {
        (name, layout)
        for (name, spec), layout in product(OPERATORS.items(), LAYOUTS)
        if len(spec.axes) > 1 or layout != "permuted H/W"
    }
    assert {case.size for case in cases} == {"tiny", "small", "medium", "large"}
    assert {row.threads for row in rows} >= {1}
    windows = [case.window for case in cases if case.window is not None and case.spec.family == "pool"]
    assert any(w.ceil_mode for w in windows)
    assert any(max(w.dilation) > 1 for w in windows)
    assert any(len(set(w.kernel)) > 1 for w in windows)
    assert {case.index_dtype for case in cases if case.spec.family == "pool"} == {"int32", "int64"}


def test_sizes_lie_between_the_bounds() -> None:
    for row in sample_rows(500, 6):
        case = row.case
        assert case.bytes < 4 * MOST_BYTES, row.label
        assert case.window is None or min(case.window.pooled(case.plane)) >= 1, row.label
    sizes = sorted(row.case.bytes for row in sample_rows(500, 6))
    assert sizes[10] < 16 * LEAST_CELLS
    assert sizes[-10] > MOST_BYTES / 4


@pytest.mark.parametrize(
    ("shape", "plane", "expected"),
    [
        (window(3, 2, 2, 0), (4, 5, 6), (2, 2, 3)),
        (Window((3, 3), (2, 2), (1, 1), (1, 1), ceil_mode=True), (6, 7), (4, 4)),
        (Window((3,), (2,), (1,), (2,), ceil_mode=True), (6,), (3,)),
        (Window((2,), (3,), (1,), (1,), ceil_mode=True), (4,), (2,)),  # the last window would begin in the padding
    ],
)
def test_pooled_sizes(shape: Window, plane: tuple[int, ...], expected: tuple[int, ...]) -> None:
    assert shape.pooled(plane) == expected


def test_the_grid_has_every_operator_in_every_size_once() -> None:
    rows = grid_rows()
    assert len({row.label for row in rows}) == len(rows)
    found = {(row.case.operator, row.case.size) for row in rows}
    assert {(operator, size) for operator in OPERATORS for size in ("tiny", "medium", "large")} <= found
    assert {case.operator for case in tiny_cases()} == {case.operator for case in memory_cases()} == set(OPERATORS)


def words_of(rows: list[Row], words: str) -> set[str]:
    return {row.label for row in rows if all(word in row.label.split() for word in words.split())}


@pytest.mark.parametrize("words", ["float16", "k3", "int8", "large threads=1"])
def test_filter_compares_whole_words(words: str) -> None:
    found = {row.label for row in sampled(2000, 3, words).rows}
    assert found == words_of(sample_rows(2000, 3), words)


def test_a_filter_takes_a_part_of_an_operators_name() -> None:
    found = {row.case.operator for row in sampled(500, 3, "nearest3d").rows}
    assert found == {"upsample_nearest3d", "upsample_nearest3d_backward"}


def test_rows_of_some_operators_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--rows", "50", "--seed", "9", "--list", "--family", "average", "linear"]) == 0
    shown = capsys.readouterr()
    drawn = {label.split()[0] for label in shown.out.splitlines()}
    assert {OPERATORS[name].family for name in drawn} == {"average", "linear"}
    assert "avg_pool2d" in shown.err
    assert main(["--rows", "3", "--list", "--operators", "avg_pool2d"]) == 0
    assert {label.split()[0] for label in capsys.readouterr().out.splitlines()} == {"avg_pool2d"}
    assert main(["--rows", "3", "--list", "--operators", "avg_pool4d"]) == 2
    assert "avg_pool4d" in capsys.readouterr().err


def test_in_cpu_time_every_row_has_one_thread() -> None:
    selection = on_one_thread(sampled(50, 3))
    assert {row.threads for row in selection.rows} == {1}
    assert "CPU time" in selection.text


def test_the_selection_says_how_its_rows_were_drawn() -> None:
    assert sampled(20, 77).text == "20 rows drawn at random with seed 77"


def test_one_regime_alone() -> None:
    selection = fixed("", ["in-place"])
    assert selection.rows
    assert not selection.overhead
    assert not selection.memory
    assert fixed("no such row").labels == []
