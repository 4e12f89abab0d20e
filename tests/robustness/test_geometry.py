"""Shapes, strides, sizes and scales of any value: a right result or an exception, never a crash."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

import acltwin
from acltwin import reference
from acltwin.ops import OPERATORS as SPECS
from support import forward
from support.cases import (
    AXES,
    EXACT3D,
    NEAREST3D,
    OPERATORS,
    POOL,
    UNPOOL,
    UPSAMPLE,
    Case,
    Window,
    pool,
    small_case,
    unpool,
    upsample,
)
from support.lazy import torch
from support.libraries import to_numpy
from support.messages import explains
from support.oracles import interval_tables, ordered_interval_sum
from support.registry import axes_of, family_of, takes_any_gradient
from support.values import Array, assert_same_bits

RNG = np.random.default_rng(12)
FLOAT32 = np.dtype(np.float32)
TOUCHING = Window((1, 2, 2), (1, 2, 2))
REFUSALS = (ValueError, TypeError, IndexError, MemoryError)

# Small sizes, and such that no address space holds them: what lies between would only fill the machine's memory.
SIZES = st.one_of(st.integers(-2, 9), st.integers(2**50, 2**62), st.integers(-(2**63), -(2**40)), st.just(2**63 - 1))
SIZE_LISTS = st.one_of(st.lists(SIZES, max_size=6), st.none(), SIZES)
SCALES = st.one_of(
    st.sampled_from([0.0, None, 1.0, 2.0, 1e-45, 1e-300, 1e38, 1e300, -1.0]),
    st.floats(),
)


def run_or_refuse(case: Case, **keywords: Any) -> Any:
    try:
        return case.run(**keywords)
    except REFUSALS:
        return None


@given(st.sampled_from(OPERATORS), st.data())
def test_any_sizes_are_refused_or_fit(operator: str, data: st.DataObject) -> None:
    case = small_case(operator)
    parameters = list(case.parameters)
    for position in range(len(parameters)):
        if data.draw(st.booleans()):
            parameters[position] = data.draw(SIZE_LISTS)
    result = run_or_refuse(Case(operator, case.tensors, tuple(parameters)))
    if result is not None:
        assert result.ndim == 2 + axes_of(operator)


@given(st.sampled_from(OPERATORS), st.data())
def test_any_shapes_are_refused_or_fit(operator: str, data: st.DataObject) -> None:
    """Tensors without memory of their own, so that their sizes may be anything."""
    large = st.integers(2**20, 2**40)
    if takes_any_gradient(operator):  # and would be busy with a large one for years
        large = st.just(7)
    case = small_case(operator)
    for position, tensor in enumerate(case.tensors):
        if data.draw(st.booleans()):
            shape = data.draw(st.lists(st.one_of(st.integers(0, 6), large), max_size=8))
            assume(np.prod([float(max(n, 1)) for n in shape]) * tensor.itemsize < 2**62)  # numpy's own limit
            case = case.with_tensor(position, np.broadcast_to(tensor.ravel()[:1].reshape(()), shape))
    run_or_refuse(case)


@given(st.sampled_from(UPSAMPLE), st.sampled_from(["device", "torch"]), st.data())
def test_any_scales_are_refused_or_give_the_reference(operator: str, rule: str, data: st.DataObject) -> None:
    axes = AXES[operator]
    outer = [data.draw(st.integers(1, 12)) for _ in range(axes)]
    inner = [data.draw(st.integers(1, 12)) for _ in range(axes)]
    scales = [data.draw(SCALES) for _ in range(axes)]
    case = upsample(RNG, operator, FLOAT32, outer, inner, scales, batch=(1, 2), rule=rule)
    if any(scale is not None and (scale < 0 or np.isinf(scale)) for scale in scales):
        with explains(ValueError, operator, "scale", "expected"):
            case.run()
    else:
        assert_same_bits(case.run(), ordered_interval_sum(case.tensors[0], interval_tables(case)), scales)


def views(data: st.DataObject, array: Array) -> Array:
    """The same values behind other strides: axes permuted in memory, reversed, with gaps, or moved."""
    order = data.draw(st.permutations(range(array.ndim)))
    steps = [data.draw(st.sampled_from([1, 1, 2, 3, -1, -2])) for _ in order]
    before = [data.draw(st.integers(0, 3)) for _ in order]
    moved = array.transpose(order)
    room = [offset + n * abs(step) for offset, n, step in zip(before, moved.shape, steps, strict=True)]
    memory = np.full(room, 55, array.dtype)
    axes = zip(before, room, steps, strict=True)
    window = tuple(slice(offset, end, abs(step)) for offset, end, step in axes)
    view = memory[window][tuple(slice(None, None, 1 if step > 0 else -1) for step in steps)]
    view[...] = moved
    return view.transpose(np.argsort(order))


@given(st.sampled_from(OPERATORS), st.data())
def test_any_strides_give_the_same_bits(operator: str, data: st.DataObject) -> None:
    case = some_case(operator, data)
    expected = case.run()
    moved = case.mapped(lambda tensor: views(data, tensor))
    assert_same_bits(moved.run(), expected)
    if operator != UNPOOL:
        out = views(data, np.full_like(expected, 66))
        assert moved.run(out=out) is out
        assert_same_bits(out, expected)


def some_case(operator: str, data: st.DataObject) -> Case:
    size = st.integers(1, 20)
    batch = (data.draw(st.integers(1, 3)), data.draw(st.integers(1, 9)))
    if operator in UPSAMPLE:
        outer, inner = ([data.draw(size) for _ in range(AXES[operator])] for _ in range(2))
        return upsample(RNG, operator, FLOAT32, outer, inner, batch=batch)
    axes = axes_of(operator)
    if family_of(operator) == "unpool":
        inner = [data.draw(st.integers(1, 8)) for _ in range(axes)]
        outer = [n + data.draw(st.integers(0, 8)) for n in inner]
        return unpool(RNG, FLOAT32, outer, inner, batch, operator=operator)
    if family_of(operator) != "pool":
        return small_case(operator, batch=batch)
    kernel = tuple(data.draw(st.integers(1, 3)) for _ in range(axes))
    stride = tuple(data.draw(st.integers(1, 3)) for _ in range(axes))
    plane = [k + data.draw(st.integers(0, 12)) for k in kernel]
    return pool(RNG, FLOAT32, plane, Window(kernel, stride).of(operator), batch, operator=operator)


# ---- single cases worth naming ----


@pytest.mark.parametrize("stride", [2**62, -(2**62), 2**61 + 4, 1, -3, 0])
@pytest.mark.parametrize("operator", OPERATORS)
def test_the_stride_of_a_single_element_means_nothing(operator: str, stride: int) -> None:
    rng = np.random.default_rng(13)
    outer, inner = (size[-axes_of(operator) :] for size in ((1, 8, 40), (1, 4, 20)))
    if family_of(operator) == "pool":
        case = pool(rng, FLOAT32, outer, TOUCHING.of(operator), (1, 1), operator=operator)
    elif family_of(operator) == "unpool":
        case = unpool(rng, FLOAT32, outer, inner, (1, 1), operator=operator)
    elif family_of(operator) in ("masked_pool", "adaptive_pool", "average"):
        case = small_case(operator, batch=(1, 1))
    else:
        case = upsample(rng, operator, FLOAT32, outer, inner, batch=(1, 1))
    assert_same_bits(case.mapped(partial(odd, stride=stride)).run(), case.run())
    if operator != UNPOOL:
        out = odd(np.full(case.result_shape, 77, np.float32), stride)
        assert_same_bits(case.run(out=out), case.run())
    assert_same_bits(to_numpy(case.mapped(partial(odd_in_torch, stride=stride)).run()), case.run())


@pytest.mark.parametrize("stride", [2**62, -(2**62), 2**61 + 4, 1, -3, 0])
@pytest.mark.parametrize("operator", forward.OPERATORS)
def test_nor_does_it_forward(operator: str, stride: int) -> None:
    rng = np.random.default_rng(14)
    inner, outer = (size[-axes_of(operator) :] for size in ((1, 4, 20), (1, 8, 40)))
    if family_of(operator) == "pool":
        case = forward.pool(rng, FLOAT32, outer, TOUCHING.of(operator), (1, 1), operator=operator)
    elif family_of(operator) == "unpool":
        case = forward.unpool(rng, FLOAT32, inner, outer, (1, 1), operator=operator)
    elif family_of(operator) != "upsample":
        case = forward.small_case(operator, batch=(1, 1))
    else:  # the axis of one element becomes one of three: all of them are that element
        axes = forward.AXES[operator]
        case = forward.upsample(rng, operator, FLOAT32, (1, 1, 20)[-axes:], (3, 3, 40)[-axes:], batch=(1, 1))
    for change in (odd, odd_in_torch):
        changed = forward.results(case.mapped(partial(change, stride=stride)))
        for result, expected in zip(changed, forward.results(case), strict=True):
            assert_same_bits(to_numpy(result), expected)


def odd(tensor: Array, stride: int) -> Array:
    """A stride, in bytes, for all axes of one element."""
    strides = [stride if n == 1 else step for n, step in zip(tensor.shape, tensor.strides, strict=True)]
    return as_strided(tensor, tensor.shape, strides)


def odd_in_torch(tensor: Array, stride: int) -> torch.Tensor:
    """The same in PyTorch, which has no negative strides."""
    steps = [abs(step) // tensor.itemsize for step in odd(tensor, stride).strides]
    return torch.from_numpy(tensor).as_strided(tensor.shape, steps)


def test_a_plane_of_two_to_the_sixty_cells() -> None:
    """Broadcast memory: every index below 2**60 is right, and 2**60 is not."""
    side = 2**20
    gradient = np.broadcast_to(np.float32(3), (1, 1, side, side, side))
    indices = np.array([0, 1, 2**32, 2**59 + 12345, 2**60 - 1]).reshape(1, 1, 1, 1, 5)
    values = np.zeros(indices.shape, np.float32)
    result = acltwin.max_unpool3d_backward(gradient, values, indices, (side,) * 3, 1, 0)
    assert result.ravel().tolist() == [3.0] * 5
    indices[..., 3] = 2**60
    with explains(IndexError, UNPOOL, f"is {2**60},", f"0 <= index < {2**60}"):
        acltwin.max_unpool3d_backward(gradient, values, indices, (side,) * 3, 1, 0)


@pytest.mark.parametrize("operator", [name for name in UPSAMPLE if not SPECS[name].scales_fit])
def test_huge_gradients_of_which_little_is_collected(operator: str) -> None:
    """With a given scale of 1 only the first cells matter, however many there are."""
    axes = AXES[operator]
    for long_axis in range(axes):
        outer = tuple(2**57 if axis == long_axis else 3 for axis in range(axes))
        gradient = np.broadcast_to(np.float32(1), (1, 1, *outer))
        result = getattr(acltwin, operator)(gradient, outer, (1, 1, *(3,) * axes), *(1.0,) * axes)
        assert (result == 1).all()


def test_results_too_large_for_any_memory_are_refused() -> None:
    gradient = np.zeros((1, 1, 1, 1, 1), np.float32)
    for size in ((1, 1, 1, 1, 2**59), (1, 1, 2**20, 2**20, 2**18), (1, 1, 2**29, 2**30, 1)):
        with pytest.raises(MemoryError):
            acltwin.upsample_nearest3d_backward(gradient, (1, 1, 1), size)
    for size in ((1, 1, 2**62, 2**62, 2**62), (1, 1, 1, 1, 2**63 - 1)):
        with explains(ValueError, NEAREST3D, "input_size", "2^63 bytes"):
            acltwin.upsample_nearest3d_backward(gradient, (1, 1, 1), size)
    plane = np.broadcast_to(np.float32(0), (1, 1, 2**20, 2**20, 2**15))
    index = np.zeros((1, 1, 1, 1, 1), np.int64)
    with pytest.raises(MemoryError):
        acltwin.max_pool3d_with_argmax_backward(gradient, plane, index, plane.shape[2:], None, 0, 1, False)


def test_an_empty_batch_of_absurd_size_is_empty() -> None:
    gradient = np.zeros((0, 1, 1, 1, 1), np.float32)
    for size in ((0, 1, 2**60, 1, 1), (0, 1, 2**20, 2**20, 2**19)):
        assert acltwin.upsample_nearest3d_backward(gradient, (1, 1, 1), size).shape == size


def test_long_axes_are_mapped_as_the_formula_says() -> None:
    """Beyond 2**24 float32 no longer counts one by one."""
    outer, inner = 2**25 + 3, 2**24 + 1
    gradient = np.broadcast_to(np.float32(1), (1, 1, 1, 1, outer))
    for operator in (NEAREST3D, EXACT3D):
        result = getattr(acltwin, operator)(gradient, (1, 1, outer), (1, 1, 1, 1, inner)).ravel()
        begin = reference.interval_table(inner, outer, 0.0, exact=SPECS[operator].is_exact, rule="device")
        assert np.array_equal(result, np.diff(begin).clip(0))


def test_absurd_windows_are_refused_or_fit() -> None:
    case = small_case(POOL)
    for value in (2**62, 2**63 - 1):
        for position in range(4):
            parameters = list(case.parameters)
            parameters[position] = (value, 1, 1)
            with explains(ValueError, POOL, "expected"):
                Case(POOL, case.tensors, tuple(parameters)).run()
    one = np.ones((1, 1, 1, 1, 1), np.float32)
    zero = np.zeros((1, 1, 1, 1, 1), np.int32)
    huge = 2**63 - 1
    assert acltwin.max_pool3d_with_argmax_backward(one, one, zero, 1, huge, 0, huge, False).item() == 1
