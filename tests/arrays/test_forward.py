"""The forward operators on arrays: any layout and library in, the same bits out; ``out=``, empty batches, refusals."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin.ops import OPERATORS as SPECS
from support import registry
from support.cases import Case, name_of
from support.forward import (
    EXACT2D,
    EXACT3D,
    LAST,
    NEAREST3D,
    OPERATOR_DTYPES,
    OPERATORS,
    POOL,
    TENSOR_NAMES,
    UNPOOL,
    UPSAMPLE,
    as_returned,
    results,
    small_case,
)
from support.layouts import LAYOUTS, STRIDED, Layout, channels_last, misaligned, pitched, sliced
from support.lazy import jax, torch
from support.libraries import Foreign, to_jax, to_numpy, to_torch
from support.messages import explains
from support.values import Array, assert_same_bits

EVERY_OPERATOR = pytest.mark.parametrize("operator", OPERATORS)
EVERY_DTYPE = pytest.mark.parametrize(
    ("operator", "dtype"), OPERATOR_DTYPES, ids=[f"{operator}-{name_of(dtype)}" for operator, dtype in OPERATOR_DTYPES]
)
EVERY_LAYOUT = pytest.mark.parametrize("layout", LAYOUTS, ids=[layout.__name__ for layout in LAYOUTS])
STRIDED_RESULTS = [operator for operator in OPERATORS if registry.takes_strides(operator)]


def assert_same_results(actual: tuple[Any, ...], expected: tuple[Any, ...], what: object = "") -> None:
    for one, other in zip(actual, expected, strict=True):
        assert_same_bits(to_numpy(one), to_numpy(other), what)


def unlike(arrays: tuple[Array, ...]) -> tuple[Array, ...]:
    """Arrays of the same kind whose every value is wrong."""
    return tuple(np.full(array.shape, 77, array.dtype) for array in arrays)


# ---- layouts ----


@EVERY_DTYPE
@EVERY_LAYOUT
def test_every_layout_gives_the_same_bits(operator: str, dtype: np.dtype[Any], layout: Layout) -> None:
    case = small_case(operator, dtype)
    assert_same_results(results(case.mapped(layout)), results(case))


@EVERY_LAYOUT
@EVERY_OPERATOR
def test_the_tensors_of_one_call_may_lie_differently_and_are_never_written(operator: str, layout: Layout) -> None:
    case = small_case(operator)
    expected = results(case)
    for position, tensor in enumerate(case.tensors):
        moved = layout(tensor)
        assert_same_results(results(case.with_tensor(position, moved)), expected, position)
        assert_same_bits(np.ascontiguousarray(moved), tensor)


@EVERY_OPERATOR
def test_broadcast_tensors_are_read_as_what_they_stand_for(operator: str) -> None:
    case = small_case(operator)
    for axis in range(case.tensors[0].ndim):
        first = case.tensors[0][(slice(None),) * axis + (slice(0, 1),)]
        broadcast = np.broadcast_to(first, case.tensors[0].shape)
        expected = results(case.with_tensor(0, broadcast.copy()))
        assert_same_results(results(case.with_tensor(0, broadcast)), expected, axis)


@pytest.mark.parametrize("operator", STRIDED_RESULTS)
def test_a_channels_last_tensor_gives_channels_last_results(operator: str) -> None:
    case = small_case(operator)
    found = results(case.mapped(channels_last))
    for array in found:
        assert np.moveaxis(array, 1, -1).flags.c_contiguous
        assert not array.flags.c_contiguous
    assert_same_results(found, results(case))


@pytest.mark.parametrize("operator", UPSAMPLE)
def test_the_channels_last_format(operator: str) -> None:
    case = small_case(operator, batch=(2, 5))
    expected = np.moveaxis(case.run(), 1, -1)
    last = replace(
        case.mapped(lambda tensor: np.ascontiguousarray(np.moveaxis(tensor, 1, -1))),
        keywords={"data_format": LAST[operator]},
    )
    result = last.run()
    assert result.flags.c_contiguous
    assert_same_bits(result, expected)
    out = np.full(expected.shape, 77, expected.dtype)
    assert last.run(out=out) is out
    assert_same_bits(out, expected)


# ---- libraries ----


@EVERY_DTYPE
def test_the_kind_of_the_first_tensor_comes_out(operator: str, dtype: np.dtype[Any]) -> None:
    case = small_case(operator, dtype)
    expected = results(case)
    assert expected[0].dtype == dtype
    kinds: list[tuple[Any, type]] = [(to_torch, torch.Tensor), (to_jax, jax.Array), (Foreign, np.ndarray)]
    for convert, kind in kinds:
        found = results(case.mapped(convert))
        assert all(isinstance(array, kind) for array in found)
        assert_same_results(found, expected, kind)


@EVERY_OPERATOR
def test_results_outlive_their_inputs_and_later_calls(operator: str) -> None:
    expected = tuple(array.copy() for array in results(small_case(operator)))
    kept = [results(small_case(operator).mapped(convert)) for convert in (np.copy, to_torch, to_jax, Foreign)]
    for seed in range(20):
        small_case(operator, seed=100 + seed).run()
    for found in kept:
        assert_same_results(found, expected)


@EVERY_OPERATOR
def test_the_number_of_threads_does_not_matter(operator: str) -> None:
    case = small_case(operator, batch=(8, 64))
    acltwin.set_num_threads(1)
    expected = results(case)
    for threads in (2, 3, 8):
        acltwin.set_num_threads(threads)
        assert_same_results(results(case), expected, threads)


# ---- out= ----


@EVERY_DTYPE
def test_out_is_filled_and_returned(operator: str, dtype: np.dtype[Any]) -> None:
    case = small_case(operator, dtype)
    expected = results(case)
    for convert in (lambda array: array, to_torch):
        arrays = (
            unlike(expected) if SPECS[operator].planewise else map(np.zeros_like, expected)
        )  # the tail of a mask stays
        out = tuple(map(convert, arrays))
        returned = results(case, out=as_returned(out))
        assert all(one is other for one, other in zip(returned, out, strict=True))
        assert_same_results(out, expected)


@pytest.mark.parametrize("layout", STRIDED, ids=[layout.__name__ for layout in STRIDED])
@pytest.mark.parametrize("operator", STRIDED_RESULTS)
def test_out_may_have_any_strides(operator: str, layout: Layout) -> None:
    case = small_case(operator)
    expected = results(case)
    for source in (case, case.mapped(channels_last)):
        out = tuple(layout(array) for array in unlike(expected))
        source.run(out=as_returned(out))
        assert_same_results(out, expected)


@pytest.mark.parametrize("layout", [sliced, pitched])
@pytest.mark.parametrize("operator", STRIDED_RESULTS)
def test_the_gaps_between_the_elements_of_out_stay(operator: str, layout: Layout) -> None:
    case = small_case(operator)
    out = tuple(layout(array) for array in unlike(results(case)))
    for array in out:
        array.base[...] = 77  # type: ignore[index]
    case.run(out=as_returned(out))
    for array in out:
        array[...] = 77
        assert (array.base == 77).all()


@pytest.mark.parametrize("offset", [0, 16, 32, 4])
@pytest.mark.parametrize("width", [64, 60, 57])
def test_a_large_out_may_begin_at_any_address(offset: int, width: int) -> None:
    """Non-temporal stores come in whole, aligned pieces: which ones depends on where the rows begin."""
    source = np.random.default_rng(3).standard_normal((8, 10, 512, width), np.float32)
    shape = (8, 10, 1024, 2 * width)
    memory = np.full(int(np.prod(shape)) + 64, 7, np.float32)
    first = (-memory.ctypes.data % 64 + offset) // 4
    out = memory[first : first + int(np.prod(shape))].reshape(shape)
    acltwin.upsample_nearest_exact2d(source, shape[2:], out=out)
    assert np.array_equal(out, source.repeat(2, 2).repeat(2, 3))
    assert (memory[:first] == 7).all()
    assert (memory[first + out.size :] == 7).all()


def test_unpooling_wants_a_contiguous_out() -> None:
    case = small_case(UNPOOL)
    for layout in STRIDED:
        with explains(ValueError, UNPOOL, "out has shape", "expected a contiguous one"):
            case.run(out=layout(np.zeros_like(case.run())))


@EVERY_OPERATOR
def test_a_wrong_out_is_refused_and_left_alone(operator: str) -> None:
    case = small_case(operator)
    good = unlike(results(case))
    for position, array in enumerate(good):
        wrong_ones = [
            (TypeError, array.astype(np.int16)),
            (ValueError, np.full((*array.shape[:-1], array.shape[-1] + 1), 77, array.dtype)),
            (ValueError, array[0]),
            (ValueError, misaligned(array)),
        ]
        for error, wrong in wrong_ones:
            out = [*good[:position], wrong, *good[position + 1 :]]
            with explains(error, operator):
                case.run(out=as_returned(out))
            assert all((one == 77).all() for one in out)


@EVERY_OPERATOR
def test_memory_of_an_input_is_refused(operator: str) -> None:
    case = small_case(operator)
    size = max(tensor.nbytes for tensor in case.tensors) + sum(array.nbytes for array in results(case))
    for position, tensor in enumerate(case.tensors):
        memory = np.zeros(size, np.uint8)
        shared = memory[: tensor.nbytes].view(tensor.dtype).reshape(tensor.shape)
        shared[...] = tensor
        for number, array in enumerate(results(case)):
            out = list(unlike(results(case)))
            out[number] = memory[: array.nbytes].view(array.dtype).reshape(array.shape)
            with explains(ValueError, operator, "overlaps"):
                case.with_tensor(position, shared).run(out=as_returned(out))


def test_the_two_results_of_pooling_may_not_share_memory() -> None:
    case = small_case(POOL)
    maxima, indices = unlike(results(case))
    with explains(ValueError, POOL, "overlaps"):
        case.run(out=(maxima, maxima.view(np.int32)))
    assert (maxima == 77).all()
    assert (indices == 77).all()


@pytest.mark.parametrize("count", [0, 1, 3])
def test_pooling_wants_a_pair(count: int) -> None:
    case = small_case(POOL)
    maxima, indices = results(case)
    with explains(TypeError, POOL, "out", "expected a pair"):
        case.run(out=(maxima, indices, maxima)[:count])
    with explains(TypeError, POOL, "out", "expected a pair"):
        case.run(out=5)


# ---- empty ----


@pytest.mark.parametrize("convert", [np.copy, to_torch, to_jax, Foreign])
@EVERY_OPERATOR
def test_an_empty_batch_gives_empty_results(operator: str, convert: Any) -> None:
    case = small_case(operator)
    empty = results(case.mapped(lambda tensor: convert(tensor[:0])))
    assert [tuple(array.shape) for array in empty] == [(0, *array.shape[1:]) for array in results(case)]


@pytest.mark.parametrize("operator", STRIDED_RESULTS)
def test_no_channels_give_empty_results(operator: str) -> None:
    case = small_case(operator)
    empty = results(case.mapped(lambda tensor: tensor[:, :0]))
    assert [array.shape[1] for array in empty] == [0] * len(empty)


# ---- refused ----


def test_arguments_have_their_documented_names() -> None:
    scales = ["scales_d", "scales_h", "scales_w"]
    documented = {
        EXACT3D: ["input", "output_size", *scales, "scale_factor", "data_format", "rule", "out"],
        NEAREST3D: ["input", "output_size", *scales, "scale_factor", "data_format", "rule", "out"],
        EXACT2D: ["input", "output_size", *scales[1:], "scale_factor", "data_format", "rule", "out"],
        UNPOOL: ["input", "indices", "output_size", "stride", "padding", "data_format", "out"],
        POOL: [
            "input",
            "kernel_size",
            "stride",
            "padding",
            "dilation",
            "ceil_mode",
            "index_dtype",
            "data_format",
            "out",
        ],
    }
    for operator, names in documented.items():
        assert list(inspect.signature(getattr(acltwin, operator)).parameters) == names


@EVERY_OPERATOR
def test_what_is_no_array_of_a_right_dtype_is_refused(operator: str) -> None:
    case = small_case(operator)
    for position, name in enumerate(TENSOR_NAMES[operator]):
        for thing in (None, 3, "text", [[1.0]], np.zeros(case.tensors[position].shape, np.complex64)):
            with explains(TypeError, operator, name):
                case.with_tensor(position, thing).run()


@EVERY_OPERATOR
def test_a_tensor_that_records_gradients_is_refused(operator: str) -> None:
    case = small_case(operator).mapped(to_torch)
    with explains(TypeError, operator, "input", "requires_grad", "input.detach()"):
        case.with_tensor(0, case.tensors[0].clone().requires_grad_()).run()


def test_unknown_words_are_refused() -> None:
    for operator, (first, last) in {EXACT2D: ("NCHW", "NHWC"), EXACT3D: ("NCDHW", "NDHWC")}.items():
        for data_format in ("nchw", "NC", None, 5):
            with explains(ValueError, operator, "data_format", f'"{first}" or "{last}"'):
                small_case(operator).run(data_format=data_format)
        with explains(ValueError, operator, "rule", '"device" or "torch"'):
            small_case(operator).run(rule="pytorch")
    for index_dtype in ("int16", None, np.int64):
        with explains(ValueError, POOL, "index_dtype", '"int32" or "int64"'):
            small_case(POOL).run(index_dtype=index_dtype)


def test_windows_without_cells_are_refused() -> None:
    """PyTorch reads outside its tensor here, or refuses, depending on the sizes."""
    image = np.zeros((1, 1, 3, 3, 3), np.float32)
    with explains(ValueError, POOL, "expected"):
        Case(POOL, (image,), (2, 1, 1, 4, False)).run()
    with explains(ValueError, POOL, "expected"):
        Case(POOL, (image,), (4, 1, 0, 1, False)).run()


def test_int32_indices_must_reach_every_cell() -> None:
    """One cell of memory that stands for a plane of 2^31 cells, pooled by two windows."""
    plane = np.broadcast_to(np.float32(1), (1, 1, 2, 2**15, 2**15))
    with explains(ValueError, POOL, "int64"):
        Case(POOL, (plane,), ((2, 2**15, 2**14), None, 0, 1, False)).run()
