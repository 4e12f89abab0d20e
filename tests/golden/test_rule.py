"""The rule ``bound``: every right kernel passes, whatever its order; a 16-bit sum does not."""

from __future__ import annotations

from itertools import permutations, product

import ml_dtypes
import numpy as np
import pytest

from acltwin import golden
from acltwin.golden.cases.dtypes import facts, rounded
from acltwin.golden.judge.bound import Bound, Limits, error_of, limits
from acltwin.golden.judge.expected import Expected
from acltwin.golden.judge.judge import wrong_cells

OPERATOR = "upsample_nearest3d_backward"
CELLS = 100_000


def _expected(terms: np.ndarray, dtype: str) -> Expected:
    """What a cell that adds one row of ``terms`` may be."""
    wide = terms.astype(np.float64)
    unit = np.ldexp(1.0, -160)  # a quantum that makes nothing exact
    return Expected(
        wide.sum(1),
        dtype,
        np.array([unit]),
        np.array([np.abs(wide).max()]),
        wide.shape[1],
        lambda: np.abs(wide).sum(1),
        lambda: np.full(len(wide), float(wide.shape[1])),
    )


def _tree(terms: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """float32 additions along a random tree, another one in every call."""
    columns = [terms[:, column].astype(np.float32) for column in rng.permutation(terms.shape[1])]
    while len(columns) > 1:
        first = columns.pop(int(rng.integers(len(columns))))
        second = columns.pop(int(rng.integers(len(columns))))
        columns.append(first + second)
    return columns[0]


def _values(rng: np.random.Generator, terms: int, dtype: str) -> np.ndarray:
    drawn = rng.standard_normal((CELLS, terms)) * 2.0 ** rng.integers(-3, 4, (CELLS, terms))
    return rounded(drawn, facts(dtype).dtype)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("terms", [1, 2, 3, 8, 40])
def test_every_order_and_every_tree_of_float32_sums_passes(rng: np.random.Generator, dtype: str, terms: int) -> None:
    values = _values(rng, terms, dtype)
    expected = _expected(values, dtype)
    allowed = limits(expected, Bound())
    for _ in range(4):
        result = rounded(_tree(values, rng).astype(np.float64), facts(dtype).dtype)
        assert not wrong_cells(result, allowed, Bound()).any()


def test_one_addition_errs_by_half_the_spacing_and_no_more() -> None:
    """Just below 2, where that is one float32 number on each side, the second ones are wrong."""
    spacing = 2.0**-23
    right = np.float32(2 - spacing)
    allowed = limits(_expected(np.array([[1, 1 - spacing]], np.float32), "float32"), Bound())
    for steps, is_wrong in ((-2, True), (-1, False), (0, False), (1, False), (3, True)):
        found = np.array([right + np.float32(steps * spacing)])
        assert wrong_cells(found, allowed, Bound()).tolist() == [is_wrong], steps


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("terms", [3, 8, 40])
def test_sums_in_16_bits_fail_unless_they_are_meant(rng: np.random.Generator, dtype: str, terms: int) -> None:
    values = _values(rng, terms, dtype)
    kind = facts(dtype).dtype
    total = values[:, 0]
    for column in range(1, terms):
        total = rounded(total.astype(np.float64) + values[:, column].astype(np.float64), kind)
    expected = _expected(values, dtype)
    share = wrong_cells(total, limits(expected, Bound()), Bound()).mean()
    assert share > 0.1
    native = Bound(accumulate="native")
    assert not wrong_cells(total, limits(expected, native), native).any()


def test_exact_data_leave_no_room() -> None:
    for case in golden.cases(OPERATOR, level="quick", dtypes=("float32", "float16", "bfloat16")):
        if case.fill in ("coded", "rounding"):
            assert not error_of(case.expected(), Bound()).any()


def test_one_unit_in_the_last_place_is_wrong_where_only_one_value_is_right() -> None:
    case = next(case for case in golden.cases(OPERATOR, dtypes=("float16",)) if case.fill == "rounding")
    right = rounded(case.expected().value, np.dtype(np.float16))
    assert case.judge(right).passed
    for side in (-np.inf, np.inf):
        nudged = right.copy()
        nudged[0, 0, 0, 0, 0] = np.nextafter(right[0, 0, 0, 0, 0], np.float16(side))
        verdict = case.judge(nudged)
        assert not verdict.passed
        assert verdict.census.wrong == 1
        assert verdict.worst[0].index == (0, 0, 0, 0, 0)


def test_places_of_nan_and_infinity_count() -> None:
    case = next(case for case in golden.cases(OPERATOR, level="quick") if case.fill == "special")
    right = rounded(case.expected().value, facts(case.dtype).dtype)
    assert case.judge(right).passed
    nan = np.argwhere(np.isnan(right))[0]
    infinite = np.argwhere(np.isposinf(right))[0]
    finite = np.argwhere(np.isfinite(right))[0]
    for place, value in ((nan, 0.0), (nan, np.inf), (infinite, -np.inf), (infinite, 1.0), (finite, np.nan)):
        changed = right.copy()
        changed[tuple(place)] = value
        assert case.judge(changed).census.wrong == 1


def test_options_are_recorded_and_do_what_they_say() -> None:
    case = next(case for case in golden.cases(OPERATOR, level="quick") if case.fill == "special")
    right = rounded(case.expected().value, facts(case.dtype).dtype)
    flushed = np.where(np.abs(right) < facts(case.dtype).smallest_normal, 0, right).astype(right.dtype)
    assert not case.judge(flushed).passed
    verdict = case.judge(flushed, ftz=True)
    assert verdict.passed
    assert verdict.options["ftz"] is True
    overflown = np.isinf(right) & np.isfinite(case.expected().value)
    assert overflown.any()
    saturated = np.where(overflown, np.copysign(facts(case.dtype).largest, right), right).astype(right.dtype)
    assert not case.judge(saturated).passed
    assert case.judge(saturated, overflow="saturate").passed
    assert not case.judge(right, overflow="saturate").passed
    minus = np.where(right == 0, -0.0, right).astype(right.dtype)
    assert case.judge(minus).passed
    assert not case.judge(minus, zero_sign=True).passed


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_nothing_that_a_kernel_returns_makes_the_judge_warn(dtype: str) -> None:
    """Every bit flipped: signalling NaN, and the largest numbers with the other sign, among the results."""
    case = next(
        case for case in golden.cases(OPERATOR, dtypes=(dtype,)) if case.fill == "special" and "frac-up" in case.name
    )
    right = rounded(case.expected().value, facts(dtype).dtype)
    for mask in (1, 1 << (8 * right.itemsize - 1), (1 << (8 * right.itemsize)) - 1):
        found = (right.view(f"u{right.itemsize}") ^ mask).view(right.dtype)
        assert not case.judge(found).passed


def test_cells_whose_overflow_depends_on_the_order_are_not_judged() -> None:
    largest = float(np.finfo(np.float32).max)
    grad = np.array([largest, largest, -largest, -largest], np.float32).reshape(1, 1, 1, 1, 4)
    case = golden.Case.of(OPERATOR, {"grad_out": grad}, {"output_size": (1, 1, 4), "input_size": (1, 1, 1, 1, 1)})
    for value in (0.0, np.nan, np.inf):
        verdict = case.judge(np.full((1, 1, 1, 1, 1), value, np.float32))
        assert verdict.passed
        assert verdict.census.not_judged == 1


def test_rounding_to_bfloat16_happens_once() -> None:
    one = 1.0 + 2.0**-8  # a tie of bfloat16
    values = np.array([one, one + 2.0**-40, one - 2.0**-40, -one - 2.0**-40, 3.4e38, 2.0**-133 * 1.5, np.nan, -0.0])
    found = rounded(values, np.dtype(ml_dtypes.bfloat16)).astype(np.float64)
    up = 1.0 + 2.0**-7
    np.testing.assert_array_equal(found, [1.0, up, 1.0, -up, np.inf, 2.0**-132, np.nan, -0.0])
    exact = np.arange(-300, 300) * 0.25
    np.testing.assert_array_equal(
        rounded(exact, np.dtype(ml_dtypes.bfloat16)), exact.astype(np.float32).astype(ml_dtypes.bfloat16)
    )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_order_of_the_largest_numbers_and_infinities_passes(dtype: str) -> None:
    """Every cell of four such numbers: added in all 24 orders, and with few of them left unjudged."""
    largest = facts(dtype).largest
    special = (0.0, 1.0, largest, -largest, np.inf, -np.inf, np.nan)
    terms = np.array(list(product(special, repeat=4)), dtype)
    case = golden.Case.of(
        OPERATOR,
        {"grad_out": terms.reshape(1, -1, 1, 1, 4)},
        {"output_size": (1, 1, 4), "input_size": (1, len(terms), 1, 1, 1)},
    )
    with np.errstate(over="ignore", invalid="ignore"):
        for order in permutations(range(4)):
            first, second, third, fourth = (terms[:, column] for column in order)
            verdict = case.judge((((first + second) + third) + fourth).reshape(1, -1, 1, 1, 1))
            assert verdict.passed, verdict.text()
            assert verdict.census.not_judged < 0.1 * len(terms)


def test_what_is_not_judged_is_not_wrong() -> None:
    found = np.array([1, 2, 3], np.int8)
    right = np.array([1, 5, 5], np.int8)
    allowed = Limits(right, right, np.zeros(3), np.array([True, False, True]))
    assert wrong_cells(found, allowed, Bound()).tolist() == [False, False, True]


@pytest.mark.parametrize("dilation", [1, 2])
def test_an_index_outside_its_window_is_wrong_even_where_the_value_is_right(dilation: int) -> None:
    """Windows of two cells out of a row of equal ones: the cell before, the one after, and the one between."""
    arguments = {"kernel_size": (1, 1, 2), "stride": (1, 1, 2 * dilation), "padding": 0, "dilation": dilation}
    row = np.ones((1, 1, 1, 1, 6 * dilation), np.float32)
    case = golden.Case.of("max_pool3d_with_argmax", {"input": row}, {**arguments, "ceil_mode": False})
    values, first = np.ones((1, 1, 1, 1, 3), np.float32), np.arange(3) * 2 * dilation
    for steps, is_wrong in ((-dilation, True), (0, False), (dilation, False), (2 * dilation, True), (1, dilation > 1)):
        indices = first.astype(np.int32)
        indices[1] += steps
        assert case.judge((values, indices.reshape(values.shape))).passed != is_wrong, steps
