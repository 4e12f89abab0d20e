import pytest
from bench.grid import HALF_TYPES, OVERLAP, SPECS, Case, Indexed, Row, Upsample, full_rows, short_rows
from bench.runner import select

from acltwin.ops import OPERATORS
from bench import goals, memory, overhead

EXACT3D = "upsample_nearest_exact3d_backward"
NEAREST3D = "upsample_nearest3d_backward"
UNPOOL = "max_unpool3d_backward"
POOL = "max_pool3d_with_argmax_backward"


@pytest.mark.parametrize("rows", [full_rows(), short_rows()], ids=["full", "short"])
def test_every_operator_has_every_size(rows: list[Row]) -> None:
    found = {(row.case.operator, row.case.size) for row in rows}
    assert found == {(operator, size) for operator in OPERATORS for size in ("tiny", "medium", "large")}


def test_no_row_twice_and_the_short_run_is_part_of_the_full_one() -> None:
    full = full_rows()
    assert len({row.label for row in full}) == len(full)
    assert set(short_rows()) <= set(full)


def test_every_operator_has_a_tiny_call_and_a_memory_figure() -> None:
    assert {case.operator for case in overhead.CASES} == set(OPERATORS)
    assert {case.operator for case in memory.SHORT_CASES} == set(OPERATORS)
    assert set(memory.SHORT_CASES) <= set(memory.CASES)


def test_every_declared_operator_is_measured() -> None:
    assert [spec.name for spec in SPECS if spec.is_gradient] == [n for n, spec in OPERATORS.items() if spec.is_gradient]
    assert {spec.name for spec in SPECS} == set(OPERATORS)


@pytest.mark.parametrize(
    ("words", "others"),
    [("float16", "bfloat16"), ("x2", "x2.7"), ("nearest3d", "exact3d"), ("k3", "k3x2x2"), ("int8", "uint8")],
)
def test_filter_compares_whole_words(words: str, others: str) -> None:
    found = {row.label for row in select(True, words).rows}
    without = {row.label for row in select(True, others).rows}
    assert found
    assert without
    assert not found & without


def test_every_nth_row_is_a_sample_of_everything() -> None:
    rows, sample = select(True, "").rows, select(True, "", every=7).rows
    assert list(sample) == list(rows)[::7]
    assert {row.case.operator for row in sample} == set(OPERATORS)
    assert {(row.case.size, row.threads) for row in sample} == {(row.case.size, row.threads) for row in rows}


def test_one_regime_alone() -> None:
    selection = select(False, "", ["in-place"])
    assert selection.rows
    assert not selection.overhead
    assert not selection.memory


def test_filter_wants_all_words() -> None:
    selection = select(True, "exact3d float16 large")
    assert selection.labels
    assert all(word in label for label in selection.labels for word in ("exact3d", "float16", "large"))
    assert select(False, "overhead").rows == []
    assert len(select(False, "overhead").overhead) == len(overhead.CASES)
    assert select(False, "no such row").labels == []


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        (Upsample(EXACT3D, "float32", "large", 2.0), (6.0, 5.5, 95.0)),
        (Upsample(EXACT3D, "bfloat16", "large", 0.5), (6.5, 6.0, 70.0)),
        (Upsample(NEAREST3D, "float64", "large", 1.5), (3.0, 2.5, 85.0)),
        (Upsample(NEAREST3D, "float32", "large", 1.5, "channels-last", 16), (10.0, 10.0, 85.0)),
        (Upsample(NEAREST3D, "float32", "large", 1.5, "channels-last", 3), (5.0, 5.0, 60.0)),
        (Upsample(NEAREST3D, "float32", "large", 4.0), (1.0, 1.0, None)),
        (Upsample(EXACT3D, "float16", "medium", 2.0), (12.0, 12.0, 50.0)),
        (Indexed(UNPOOL, "int8", "large"), (1.1, 1.3, 90.0)),
        (Indexed(UNPOOL, "float16", "large", planes="one plane"), (2.0, 2.0, None)),
        (Indexed(POOL, "float32", "large"), (3.5, 5.0, 95.0)),
        (Indexed(POOL, "float16", "large", OVERLAP, indices="random"), (0.95, 0.95, None)),
        (Indexed(POOL, "float32", "large", OVERLAP, index_dtype="int32"), (2.5, 3.0, 65.0)),
    ],
)
def test_goals(case: Case, expected: tuple[float, float, float | None]) -> None:
    goal = goals.goal_of(Row(case, 2))
    assert (goal.reuse, goal.allocate, goal.percent) == expected
    assert goals.goal_of(Row(case, 1)) is goals.ONE_THREAD


def test_every_goal_has_rows() -> None:
    rows = full_rows()
    assert {goal.rows for goal in goals.GOALS} <= {goals.goal_of(row).rows for row in rows}


def test_sixteen_bit_rows_are_in_the_short_run() -> None:
    for operator in OPERATORS:
        assert any(row.case.operator == operator and row.case.dtype in HALF_TYPES for row in short_rows())
