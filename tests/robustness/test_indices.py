"""Indices from outside: every wrong one is caught and named, whatever its value, and touches nothing."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acltwin
from support.cases import DTYPES, POOL, UNPOOL, Case, Window, name_of, pool, unpool
from support.forward import any_case
from support.layouts import STRIDED, contiguous
from support.messages import explains
from support.values import Array, assert_same_bits

RNG = np.random.default_rng(11)
FLOAT32 = np.dtype(np.float32)
WINDOWS = [Window((2, 2, 2), (2, 2, 2)), Window((3, 3, 3), (2, 2, 2), (1, 1, 1)), Window((1, 2, 3), (3, 1, 2))]


def cases(index_dtype: type, batch: tuple[int, ...] = (2, 3), dtype: np.dtype[Any] = FLOAT32) -> list[Case]:
    """Small ones, and ones large enough for vectors and threads."""
    found = [
        unpool(RNG, dtype, (4, 6, 9), (2, 3, 5), batch, index_dtype),
        unpool(RNG, dtype, (8, 64, 96), (8, 64, 90), batch, index_dtype),
    ]
    for plane in ((6, 8, 10), (8, 48, 80)):
        found += [pool(RNG, dtype, plane, window, batch, index_dtype) for window in WINDOWS]
    return found


def cells_of(case: Case) -> int:
    """Cells of the plane that the indices point into."""
    return int(np.prod((case.tensors[0] if case.operator == UNPOOL else case.tensors[1]).shape[-3:]))


def with_index(case: Case, place: tuple[int, ...], value: int) -> Case:
    indices = case.tensors[2].copy()
    indices[place] = value
    return case.with_tensor(2, indices)


def wrong_values(cells: int, index_dtype: type) -> list[int]:
    info = np.iinfo(index_dtype)
    values = [-1, cells, cells + 1, -cells, info.min, info.max, -(2**31)]
    # Numbers that would be in range if someone cut them to 32 bits.
    values += [2**32, 2**32 + 1, -(2**32) + 1, 2**40, 2**62 + 1, -(2**63) + 1]
    return [value for value in values if info.min <= value <= info.max]


@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
@pytest.mark.parametrize("batch", [(3,), (2, 3)], ids=["4-D", "5-D"])
def test_the_error_names_position_value_and_range(index_dtype: type, batch: tuple[int, ...]) -> None:
    for case in cases(index_dtype, batch):
        cells = cells_of(case)
        for value in wrong_values(cells, index_dtype):
            place = tuple(int(RNG.integers(n)) for n in case.tensors[2].shape)
            position = ", ".join(map(str, place))
            with explains(IndexError, case.operator, f"indices[{position}] is {value},", f"0 <= index < {cells}"):
                with_index(case, place, value).run()


@pytest.mark.parametrize("dtype", DTYPES[POOL], ids=name_of)
def test_the_first_and_the_last_index_are_checked_too(dtype: np.dtype[Any]) -> None:
    for case in cases(np.int64, dtype=dtype):
        shape = case.tensors[2].shape
        for place in ((0,) * len(shape), tuple(n - 1 for n in shape)):
            for value in (-1, cells_of(case)):
                with explains(IndexError, case.operator, f"is {value},"):
                    with_index(case, place, value).run()
            for value in (0, cells_of(case) - 1):
                with_index(case, place, value).run()


def test_the_named_position_is_a_wrong_one_among_many() -> None:
    for case in cases(np.int64):
        indices = case.tensors[2].copy()
        wrong = RNG.random(indices.shape) < 0.3
        indices[wrong] = RNG.integers(-(2**63), -1, np.count_nonzero(wrong))
        for threads in (1, 4):
            acltwin.set_num_threads(threads)
            with pytest.raises(IndexError) as caught:
                case.with_tensor(2, indices).run()
            found = re.search(r"indices\[([\d, ]+)\] is (-?\d+),", str(caught.value))
            assert found is not None
            place = tuple(map(int, found[1].split(", ")))
            assert indices[place] == int(found[2]) < 0
            assert place == tuple(np.argwhere(wrong)[0]), "the first wrong one in C order is named"


@pytest.mark.parametrize("layout", [contiguous, *STRIDED], ids=lambda layout: layout.__name__)
def test_wrong_indices_are_found_in_every_layout(layout: Any) -> None:
    for case in cases(np.int32):
        place = tuple(int(RNG.integers(n)) for n in case.tensors[2].shape)
        wrong = with_index(case, place, cells_of(case))
        position = ", ".join(map(str, place))
        with explains(IndexError, case.operator, f"indices[{position}]"):
            wrong.mapped(layout).run()


def guarded(shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[Array, Array]:
    """Memory with a marked zone on both sides of an array."""
    cells = int(np.prod(shape))
    memory = np.full(cells + 8192, 77, dtype)
    return memory, memory[4096 : 4096 + cells].reshape(shape)


def test_nothing_outside_the_tensors_is_touched() -> None:
    for case in cases(np.int64):
        cells = cells_of(case)
        memory, out = guarded(case.result_shape, FLOAT32)
        gradients, gradient = guarded(case.tensors[0].shape, FLOAT32)
        gradient[...] = case.tensors[0]
        before = gradients.copy()
        for value in (-1, -100, cells, cells + 100, -4096, cells + 4095):
            indices = np.full_like(case.tensors[2], value)
            with pytest.raises(IndexError):
                case.with_tensor(0, gradient).with_tensor(2, indices).run(out=out)
        assert (memory[:4096] == 77).all()
        assert (memory[-4096:] == 77).all()
        assert_same_bits(gradients, before)


def test_an_index_outside_its_window_adds_where_it_says() -> None:
    for case in cases(np.int32):
        if case.operator == POOL:
            result = case.with_tensor(2, np.zeros_like(case.tensors[2])).run()
            sums = case.tensors[0].astype(np.float64).sum((-1, -2, -3))
            assert np.allclose(result[..., 0, 0, 0], sums, rtol=1e-4, atol=1e-3)
            assert not result.reshape(*result.shape[:2], -1)[..., 1:].any()


@given(
    st.sampled_from([np.int32, np.int64]),
    st.lists(st.one_of(st.integers(-3, 80), st.integers(-(2**31), 2**31 - 1)), min_size=1, max_size=30),
)
def test_any_indices_give_a_result_or_an_index_error(index_dtype: type, values: list[int]) -> None:
    inner = (1, 1, len(values))
    indices: Array = np.array(values, index_dtype).reshape(1, 1, *inner)
    gradient = np.arange(4 * 4 * 4, dtype=np.float32).reshape(1, 1, 4, 4, 4)
    call = (gradient, np.zeros(indices.shape, np.float32), indices, (4, 4, 4), 1, 0)
    if all(0 <= value < 64 for value in values):
        assert acltwin.max_unpool3d_backward(*call).ravel().tolist() == values
    else:
        with explains(IndexError, UNPOOL, "0 <= index < 64"):
            acltwin.max_unpool3d_backward(*call)


@pytest.mark.parametrize("axis", range(5))
@pytest.mark.parametrize("operator", ["max_unpool3d", UNPOOL, POOL])
def test_indices_of_another_shape_are_refused_whichever_axis_differs(operator: str, axis: int) -> None:
    """Fewer indices than values would be read beyond their end."""
    case = any_case(operator, batch=(2, 2))
    *_, indices = case.tensors
    fewer = np.ascontiguousarray(indices.take(range(indices.shape[axis] - 1), axis))
    with pytest.raises(ValueError, match="indices"):
        case.with_tensor(len(case.tensors) - 1, fewer).run()
