"""<forward(x), g> = <x, backward(g)>, exactly, on whole numbers: the gradients are those of these forward operators.

By the device rule the two formulas round differently, so for some sizes a gradient goes to the neighbour of the cell
that was copied, and with given scales gradients may be dropped. Both are listed here and in docs/upsampling.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin.ops import OPERATORS as SPECS
from acltwin.reference import interval_table, source_table
from support.cases import Case, Window, name_of
from support.coded import LONGEST
from support.forward import (
    AXES,
    DTYPES,
    LAST,
    POOL,
    UNPOOL,
    UPSAMPLE,
    gradient,
    pool,
    results,
    unpool,
    upsample,
)
from support.layouts import STRIDED, Layout, contiguous
from support.thorough import THOROUGH, a_third_of
from support.values import Array, random_integers

EVERY_LAYOUT = pytest.mark.parametrize("layout", [contiguous, *STRIDED], ids=lambda layout: layout.__name__)
INNER, OUTER = (3, 4, 8), [(6, 8, 16), (5, 7, 19), (2, 3, 5), (3, 4, 8)]


def dtypes_of(*operators: str) -> Any:
    """Every dtype that the gradient has too."""
    pairs = [(operator, dtype) for operator in operators for dtype in DTYPES[operator]]
    pairs = [pair for pair in pairs if pair[0] == UNPOOL or pair[1].kind not in "iu"]
    return pytest.mark.parametrize(("operator", "dtype"), pairs, ids=[f"{o}-{name_of(d)}" for o, d in pairs])


def small_numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """So small that no dtype rounds or overflows, however many are added."""
    return rng.integers(0, 3, shape).astype(dtype) if dtype.kind in "iu" else random_integers(rng, shape, dtype)


def product(a: Array, b: Array) -> float:
    return float((a.astype(np.float64) * b.astype(np.float64)).sum())


def assert_adjoint(case: Case, layout: Layout, rng: np.random.Generator) -> None:
    moved = case.mapped(layout)
    result = results(moved)[0]
    grad = small_numbers(rng, result.shape, result.dtype)
    back = gradient(moved, layout(grad)).run()
    assert back.shape == case.tensors[0].shape
    assert product(result, grad) == product(case.tensors[0], back), case.parameters


@dtypes_of(*UPSAMPLE)
@EVERY_LAYOUT
def test_upsampling_by_the_torch_rule(
    operator: str, dtype: np.dtype[Any], layout: Layout, rng: np.random.Generator
) -> None:
    axes = AXES[operator]
    for outer in OUTER:
        case = upsample(rng, operator, dtype, INNER[-axes:], outer[-axes:], values=small_numbers, rule="torch")
        assert_adjoint(case, layout, rng)


@dtypes_of(*UPSAMPLE)
@EVERY_LAYOUT
def test_upsampling_by_the_device_rule(
    operator: str, dtype: np.dtype[Any], layout: Layout, rng: np.random.Generator
) -> None:
    """Sizes that are no exception."""
    axes = AXES[operator]
    for outer in OUTER:
        case = upsample(rng, operator, dtype, INNER[-axes:], outer[-axes:], values=small_numbers)
        assert_adjoint(case, layout, rng)


@pytest.mark.parametrize("operator", [name for name in UPSAMPLE if len(SPECS[SPECS[name].partner].data_formats) > 1])
def test_upsampling_of_channels_last_formats(operator: str, rng: np.random.Generator) -> None:
    axes = AXES[operator]
    image = small_numbers(rng, (2, *(3, 4, 8)[-axes:], 5), np.dtype(np.float32))  # N, D, H, W, C
    case = Case(operator, (image,), ((5, 7, 19)[-axes:],), {"data_format": LAST[operator], "rule": "torch"})
    assert_adjoint(case, contiguous, rng)


@dtypes_of(UNPOOL)
@EVERY_LAYOUT
def test_unpooling(operator: str, dtype: np.dtype[Any], layout: Layout, rng: np.random.Generator) -> None:
    for batch, index_dtype in (((2, 3), np.int64), ((4,), np.int32)):
        assert_adjoint(unpool(rng, dtype, (2, 3, 5), (4, 6, 9), batch, index_dtype, small_numbers), layout, rng)


@dtypes_of(POOL)
@EVERY_LAYOUT
@pytest.mark.parametrize("index_dtype", ["int32", "int64"])
def test_pooling(
    operator: str, dtype: np.dtype[Any], layout: Layout, index_dtype: str, rng: np.random.Generator
) -> None:
    windows = [Window((2, 2, 2), (2, 2, 2)), Window((3, 3, 3), (2, 2, 2), (1, 1, 1)), Window((2, 3, 1), (1, 2, 1))]
    for window in windows:
        case = pool(rng, dtype, (5, 6, 20), window, values=small_numbers, index_dtype=index_dtype)
        assert_adjoint(case, layout, rng)


# ---- the exceptions of the device rule ----

SIZES = range(1, LONGEST + 1)
FACTORS = (0.5, 1.25, 1.5, 1.7, 2.0, 2.3, 2.5, 3.0, 4.0)


def gradient_cells(inner: int, outer: int, scale: float, exact: bool) -> Array:
    """For every output cell the input cell that gets its gradient; -1 if none does."""
    cells: Array = np.full(outer, -1)
    begin = interval_table(inner, outer, scale, exact)
    cells[begin[0] : begin[-1]] = np.repeat(np.arange(inner), np.diff(begin))
    return cells


def exceptions(calls: Iterable[tuple[int, int, float]], exact: bool) -> Counter[str]:
    """How many calls have gradients that leave the cell that was copied, and how many gradients go where."""
    found: Counter[str] = Counter()
    for inner, outer, scale in calls:
        copied, collected = source_table(inner, outer, scale, exact), gradient_cells(inner, outer, scale, exact)
        moved = (copied != collected) & (collected >= 0)
        assert (np.abs(copied - collected)[moved] == 1).all(), "never further than the neighbour"
        dropped = collected < 0
        found["calls"] += 1
        found["calls with moved ones"] += bool(moved.any())
        found["calls with dropped ones"] += bool(dropped.any())
        found["to the cell after"] += int(np.count_nonzero(moved & (collected > copied)))
        found["to the cell before"] += int(np.count_nonzero(moved & (collected < copied)))
    return +found


@pytest.mark.parametrize(
    ("exact", "expected"),
    [
        (False, {"calls with moved ones": 911, "to the cell after": 494, "to the cell before": 1525}),
        (True, {"calls with moved ones": 799, "to the cell after": 532, "to the cell before": 458}),
    ],
    ids=["nearest", "exact"],
)
def test_exceptions_of_sizes_alone(exact: bool, expected: dict[str, int]) -> None:
    calls = [(inner, outer, 0.0) for inner in SIZES for outer in SIZES]
    assert exceptions(calls, exact) == {"calls": 25600, **expected}


@pytest.mark.parametrize("exact", [False, True], ids=["nearest", "exact"])
def test_the_ratio_as_a_scale_changes_nothing(exact: bool) -> None:
    for inner, outer in a_third_of([(inner, outer) for inner in SIZES for outer in SIZES])[:: 1 if THOROUGH else 7]:
        for table in (source_table, interval_table):
            without, given = (table(inner, outer, scale, exact) for scale in (0.0, outer / inner))
            assert np.array_equal(without, given), (inner, outer)


@pytest.mark.parametrize(("exact", "calls_of_2_3", "gradients"), [(False, 130, 270), (True, 145, 180)])
def test_exceptions_of_usual_factors(exact: bool, calls_of_2_3: int, gradients: int) -> None:
    """Sizes that the factor makes, rounded down as PyTorch and the documents do: 2.3 alone has exceptions, and many."""
    for factor in FACTORS:
        calls = [(inner, int(inner * factor), factor) for inner in SIZES if inner * factor >= 1]
        moved = {"calls with moved ones": calls_of_2_3, "to the cell after": gradients} if factor == 2.3 else {}
        assert exceptions(calls, exact) == {"calls": len(calls), **moved}, factor


@pytest.mark.parametrize("exact", [False, True], ids=["nearest", "exact"])
def test_gradients_are_dropped_exactly_beyond_the_factor(exact: bool) -> None:
    """Where the output is larger than the factor makes it, the rest copies the last cell and its gradient is lost."""
    for factor in FACTORS:
        for inner in SIZES:
            outer = int(inner * factor) + 7
            reach = min(int(np.ceil(np.float32(inner) * np.float32(factor) - np.float32(0.5 * exact))), outer)
            assert (gradient_cells(inner, outer, factor, exact) < 0).nonzero()[0].tolist() == [*range(reach, outer)]
            assert (source_table(inner, outer, factor, exact)[reach:] == inner - 1).all()


@pytest.mark.parametrize(
    ("operator", "inner", "outer"), [("upsample_nearest3d", 2, 82), ("upsample_nearest_exact3d", 2, 41)]
)
def test_the_smallest_exceptions(operator: str, inner: int, outer: int) -> None:
    """The operators do what the tables say: the middle cell copies cell 0, and its gradient goes to cell 1."""
    middle = outer // 2
    forward, backward = getattr(acltwin, operator), getattr(acltwin, f"{operator}_backward")
    image = np.arange(inner, dtype=np.float32).reshape(1, 1, 1, 1, inner)
    grad = np.zeros((1, 1, 1, 1, outer), np.float32)
    grad[..., middle] = 1
    assert forward(image, (1, 1, outer))[..., middle].item() == 0
    assert backward(grad, (1, 1, outer), image.shape).ravel().tolist() == [0, 1]
    assert backward(grad, (1, 1, outer), image.shape, rule="torch").ravel().tolist() == [1, 0]
