"""Pooling and unpooling of arrays whose channels come last: strides, not copies, and the same indices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin import reference
from acltwin.ops import OPERATORS
from support.cases import Case, Window
from support.forward import OPERATOR_DTYPES, any_case, pool, results
from support.layouts import STRIDED, Layout, contiguous
from support.messages import explains
from support.values import Array, assert_same_bits

INDEXED = [name for name, spec in OPERATORS.items() if spec.family in ("pool", "unpool")]
EVERY_LAYOUT = pytest.mark.parametrize("layout", [contiguous, *STRIDED], ids=lambda layout: layout.__name__)
LAST: dict[str, Any] = {"data_format": "NDHWC"}


def last(array: Array) -> Array:
    return np.ascontiguousarray(np.moveaxis(array, 1, -1))


def turned(case: Case, layout: Layout = contiguous) -> Case:
    """The same call on arrays with their channels last."""
    moved = case.mapped(lambda tensor: layout(last(tensor)))
    return Case(
        moved.operator,
        moved.tensors,
        moved.parameters,
        {**case.keywords, "data_format": OPERATORS[case.operator].array_formats[1]},
    )


@EVERY_LAYOUT
@pytest.mark.parametrize("operator", INDEXED)
def test_same_bits_as_channels_first(operator: str, layout: Layout) -> None:
    dtypes = [dtype for name, dtype in OPERATOR_DTYPES if name == operator] or [np.dtype(np.float32)]
    for dtype in dtypes:
        case = any_case(operator, dtype)
        for result, expected in zip(results(turned(case, layout)), results(case), strict=True):
            assert result.flags.c_contiguous
            assert_same_bits(result, last(expected), operator)


def test_random_windows_as_the_reference(rng: np.random.Generator) -> None:
    for _ in range(60):
        kernel, stride, padding = (
            tuple(int(n) for n in rng.integers(*limits, 3)) for limits in ((1, 4), (1, 4), (0, 2))
        )
        padding = tuple(min(p, k // 2) for p, k in zip(padding, kernel, strict=True))
        window = Window(kernel, stride, padding, ceil_mode=bool(rng.integers(2)))
        batch = (int(rng.integers(1, 3)), int(rng.integers(1, 20)))
        case = turned(pool(rng, np.dtype(np.float32), tuple(rng.integers(4, 9, 3)), window, batch))
        (volume,) = case.tensors
        values, indices = results(case)
        best, places = reference.max_pool3d_with_argmax(volume, *window.parameters, **LAST)
        assert np.array_equal(values, best)
        assert np.array_equal(indices, places)
        gradient = rng.integers(-9, 10, values.shape).astype(np.float32)
        back = acltwin.max_pool3d_with_argmax_backward(gradient, volume, indices, *window.parameters, **LAST)
        exact = reference.max_pool3d_with_argmax_backward(gradient, volume, indices, *window.parameters, **LAST)
        assert np.array_equal(back, exact)
        unpooling = (volume.shape[1:4], window.stride, 0)
        if np.prod(values.shape[1:4]) <= np.prod(volume.shape[1:4]):
            unpooled = acltwin.max_unpool3d(values, indices, *unpooling, **LAST)
            assert np.array_equal(unpooled, reference.max_unpool3d(values, indices, *unpooling, **LAST))
            fetched = acltwin.max_unpool3d_backward(unpooled, values, indices, *unpooling, **LAST)
            assert np.array_equal(
                fetched, reference.max_unpool3d_backward(unpooled, values, indices, *unpooling, **LAST)
            )


def test_an_index_is_that_of_the_plane() -> None:
    """d * H * W + h * W + w, wherever the channels are."""
    volume = np.zeros((1, 2, 3, 4, 2), np.float32)
    volume[0, 1, 2, 3, 0] = volume[0, 0, 1, 2, 1] = 1
    _, indices = acltwin.max_pool3d_with_argmax(volume, (2, 3, 4), data_format="NDHWC")
    assert indices.ravel().tolist() == [1 * 12 + 2 * 4 + 3, 0 * 12 + 1 * 4 + 2]


@pytest.mark.parametrize("operator", INDEXED)
def test_results_go_into_given_arrays(operator: str) -> None:
    case = turned(any_case(operator))
    expected = results(case)
    given = tuple(np.full_like(result, 7) for result in expected)
    returned = case.run(out=given if len(given) > 1 else given[0])
    assert (returned if len(given) > 1 else (returned,)) == given
    for result, right in zip(given, expected, strict=True):
        assert_same_bits(result, right)


@pytest.mark.parametrize("operator", [name for name in INDEXED if not OPERATORS[name].makes_indices])
def test_a_bad_index_is_named_where_it_is(operator: str) -> None:
    case = turned(any_case(operator))
    *others, indices = case.tensors
    indices = indices.copy()
    place = (1, *(0, 1, 1)[-len(OPERATORS[operator].axes) :], 2)
    indices[place] = 100_000
    with pytest.raises(IndexError, match=rf"indices\[{', '.join(map(str, place))}\] is 100000"):
        case.with_tensor(len(others), indices).run()


@pytest.mark.parametrize("operator", INDEXED)
def test_unbatched_arrays_are_refused(operator: str) -> None:
    case = turned(any_case(operator)).mapped(lambda tensor: tensor[0])
    rank, names = len(OPERATORS[operator].axes) + 2, ", ".join(OPERATORS[operator].axes)
    with explains(
        ValueError, operator, f"has {rank - 1} dimensions", f"expected {rank} (N, {names}, C)", "missing dimensions"
    ):
        case.run()


def test_shapes_in_messages_are_those_that_were_passed() -> None:
    volume, one = np.zeros((2, 1, 4, 4, 3), np.float32), np.zeros((2, 1, 1, 1, 4), np.float32)
    with explains(ValueError, "max_pool3d_with_argmax", "(2, 1, 4, 4, 3) with D = 1", "kernel_size"):
        acltwin.max_pool3d_with_argmax(volume, 2, data_format="NDHWC")
    indices = np.zeros(one.shape, np.int32)
    with explains(ValueError, "max_pool3d_with_argmax_backward", "(N, D, H, W, C) with N, C = (2, 3)"):
        acltwin.max_pool3d_with_argmax_backward(one, volume, indices, (1, 4, 4), data_format="NDHWC")
    with explains(ValueError, "max_unpool3d_backward", "output_size", "(2, 1, 4, 4, 3), expected D, H, W = (2, 4, 4)"):
        acltwin.max_unpool3d_backward(volume, one, indices, (2, 4, 4), data_format="NDHWC")
