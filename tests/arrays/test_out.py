"""``out=`` is filled, whatever its strides, and returned; nothing around it is touched; nonsense is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin.ops import OPERATORS as SPECS
from support import registry
from support.cases import OPERATOR_DTYPES, OPERATORS, POOL, UNPOOL, name_of, small_case
from support.layouts import STRIDED, Layout, contiguous, misaligned, pitched, sliced
from support.lazy import jnp
from support.libraries import to_numpy, to_torch
from support.messages import explains
from support.values import Array, assert_same_bits, bits

Memory = Callable[[Array], Array]

STRIDED_RESULTS = [operator for operator in OPERATORS if registry.takes_strides(operator)]


def unlike(array: Array) -> Array:
    """An array of the same kind whose every value is wrong."""
    return np.full(array.shape, 77, array.dtype)


@pytest.mark.parametrize(
    ("operator", "dtype"), OPERATOR_DTYPES, ids=[f"{operator}-{name_of(dtype)}" for operator, dtype in OPERATOR_DTYPES]
)
def test_out_is_filled_and_returned(operator: str, dtype: np.dtype[Any]) -> None:
    case = small_case(operator, dtype)
    expected = case.run()
    out = unlike(expected)
    assert case.run(out=out) is out
    assert_same_bits(out, expected)
    tensor = to_torch(unlike(expected))
    assert case.mapped(to_torch).run(out=tensor) is tensor
    assert_same_bits(to_numpy(tensor), expected)


@pytest.mark.parametrize("layout", STRIDED, ids=[layout.__name__ for layout in STRIDED])
def test_unpooling_wants_a_contiguous_out(layout: Layout) -> None:
    """As documented; no other operator asks for it."""
    case = small_case(UNPOOL)
    with pytest.raises(ValueError, match=r"out has shape .* and strides .*, expected a contiguous one"):
        case.run(out=layout(unlike(case.run())))


@pytest.mark.parametrize("layout", STRIDED, ids=[layout.__name__ for layout in STRIDED])
@pytest.mark.parametrize("operator", STRIDED_RESULTS)
def test_out_may_have_any_strides(operator: str, layout: Layout) -> None:
    for source_layout in (contiguous, *STRIDED):
        case = small_case(operator).mapped(source_layout)
        expected = case.run()
        out = layout(unlike(expected))
        assert case.run(out=out) is out
        assert_same_bits(out, expected, source_layout)


@pytest.mark.parametrize("layout", [sliced, pitched])
@pytest.mark.parametrize("operator", STRIDED_RESULTS)
def test_the_gaps_between_the_elements_of_out_stay(operator: str, layout: Layout) -> None:
    case = small_case(operator)
    expected = case.run()
    out = layout(np.zeros_like(expected))
    memory: Any = out.base
    memory[...] = 77
    case.run(out=out)
    assert_same_bits(out, expected)
    out[...] = 77
    assert (memory == 77).all()


@pytest.mark.parametrize("operator", OPERATORS)
def test_out_may_be_of_another_library(operator: str) -> None:
    case = small_case(operator)
    expected = case.run()
    tensor = to_torch(unlike(expected))
    assert case.run(out=tensor) is tensor
    assert_same_bits(to_numpy(tensor), expected)
    array = unlike(expected)
    assert case.mapped(to_torch).run(out=array) is array
    assert_same_bits(array, expected)


@pytest.mark.parametrize("operator", OPERATORS)
def test_out_of_none_means_a_new_result(operator: str) -> None:
    case = small_case(operator)
    assert_same_bits(case.run(out=None), case.run())


# ---- refused, and left alone ----


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_wrong_dtype_is_refused(operator: str) -> None:
    case = small_case(operator)
    casts = any(rule.id == "out_cast" for rule in SPECS[operator].rules)
    wrong = np.dtype(np.int16 if casts else np.float16)
    out = np.full(case.result_shape, 77, wrong)
    with explains(
        TypeError, operator, "out", wrong.name, "expected a type that float32" if casts else "expected float32"
    ):
        case.run(out=out)
    assert (out == 77).all()


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_wrong_shape_is_refused(operator: str) -> None:
    case = small_case(operator)
    shape = case.result_shape
    for wrong in ((*shape[:-1], shape[-1] + 1), shape[:-1], (*shape, 1), shape[::-1], (1, *shape[1:]), ()):
        out = np.full(wrong, 77, np.float32)
        with explains(ValueError, operator, "out", "expected"):
            case.run(out=out)
        assert (out == 77).all()


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_wrong_kind_is_refused(operator: str) -> None:
    case = small_case(operator)
    with explains(TypeError, operator, "out", "expected a NumPy array"):
        case.run(out=[1.0])
    with explains(TypeError, operator, "out", "JAX"):
        case.run(out=jnp.zeros(case.result_shape, jnp.float32))
    with explains(TypeError, operator, "out", "requires_grad"):
        case.run(out=to_torch(np.zeros(case.result_shape, np.float32)).requires_grad_())


@pytest.mark.parametrize("operator", OPERATORS)
def test_memory_that_cannot_be_written_is_refused(operator: str) -> None:
    case = small_case(operator)
    out = np.zeros(case.result_shape, np.float32)
    with explains(ValueError, operator, "out", "aligned"):
        case.run(out=misaligned(out))
    with explains(TypeError, operator, "out", "byte order"):
        case.run(out=out.astype(">f4"))
    out.flags.writeable = False
    with explains(ValueError, operator, "out", "read-only"):
        case.run(out=out)


@pytest.mark.parametrize("operator", STRIDED_RESULTS)
def test_elements_at_one_place_are_refused(operator: str) -> None:
    case = small_case(operator)
    shape = case.result_shape
    memory = np.zeros(int(np.prod(shape)), np.float32)
    for axis in range(len(shape)):
        strides = list(np.empty(shape, np.float32).strides)
        for wrong in (0, strides[axis] // 2 // 4 * 4 if axis < len(shape) - 1 else 0):
            out = np.lib.stride_tricks.as_strided(memory, shape, [*strides[:axis], wrong, *strides[axis + 1 :]])
            with explains(ValueError, operator, "out", "overlapping elements"):
                case.run(out=out)


@pytest.mark.parametrize("operator", OPERATORS)
def test_memory_of_an_input_is_refused(operator: str) -> None:
    case = small_case(operator)
    shape = case.result_shape
    cells = int(np.prod(shape))
    for position, tensor in enumerate(case.tensors):
        memory = np.zeros(tensor.size * tensor.itemsize + 4 * cells, np.uint8)
        shared = memory[: tensor.nbytes].view(tensor.dtype).reshape(tensor.shape)
        shared[...] = tensor
        sharing = case.with_tensor(position, shared)
        for start in (0, tensor.nbytes - 4):
            out = memory[start : start + 4 * cells].view(np.float32).reshape(shape)
            before = memory.copy()
            with explains(ValueError, operator, "out", "overlaps"):
                sharing.run(out=out)
            assert_same_bits(memory, before)
        beside = memory[tensor.nbytes :].view(np.float32).reshape(shape)
        assert_same_bits(sharing.run(out=beside), case.run())


def test_memory_before_the_first_element_of_out_counts() -> None:
    """The first element of an array with negative strides has the highest address."""
    memory = np.arange(16, dtype=np.float32)
    image, size = memory[:8].reshape(1, 1, 2, 2, 2), (2, 2, 2)
    with explains(ValueError, "upsample_nearest3d", "out", "overlaps"):
        acltwin.upsample_nearest3d(image, size, out=memory[11:3:-1].reshape(image.shape))
    assert memory.tolist() == list(range(16))
    beside = acltwin.upsample_nearest3d(image, size, out=memory[15:7:-1].reshape(image.shape))
    assert_same_bits(np.ascontiguousarray(beside), image)


def test_the_input_itself_as_out_is_refused() -> None:
    """The shape and dtype of `input` are those of the result, which invites it."""
    for operator in (UNPOOL, POOL):
        case = small_case(operator)
        before = bits(case.tensors[1]).copy()
        with explains(ValueError, operator, "out", "input"):
            case.run(out=case.tensors[1])
        assert (bits(case.tensors[1]) == before).all()
