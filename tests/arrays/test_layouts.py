"""Any strides go in; the result has the bits of the contiguous call, and inputs stay as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acltwin.ops import OPERATORS as SPECS
from support import registry
from support.cases import AXES, OPERATOR_DTYPES, OPERATORS, UNPOOL, UPSAMPLE, Case, name_of, small_case
from support.layouts import LAYOUTS, STRIDED, Layout, channels_last, reversed_everywhere, swapped_rows_and_columns
from support.lazy import torch
from support.libraries import to_numpy, to_torch
from support.values import Array, assert_same_bits

ANYWHERE = [operator for operator in OPERATORS if registry.family_of(operator) != "masked_pool"]  # masks are contiguous
ALL_LAYOUTS = pytest.mark.parametrize("layout", LAYOUTS, ids=[layout.__name__ for layout in LAYOUTS])


@ALL_LAYOUTS
@pytest.mark.parametrize(
    ("operator", "dtype"), OPERATOR_DTYPES, ids=[f"{operator}-{name_of(dtype)}" for operator, dtype in OPERATOR_DTYPES]
)
def test_every_layout_gives_the_same_bits(operator: str, dtype: np.dtype[Any], layout: Layout) -> None:
    case = small_case(operator, dtype)
    assert_same_bits(case.mapped(layout).run(), case.run())


@ALL_LAYOUTS
@pytest.mark.parametrize("operator", ANYWHERE)
def test_the_tensors_of_one_call_may_lie_differently(operator: str, layout: Layout) -> None:
    case = small_case(operator)
    expected = case.run()
    for position, tensor in enumerate(case.tensors):
        assert_same_bits(case.with_tensor(position, layout(tensor)).run(), expected, position)


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("layout", [layout for layout in STRIDED if layout is not reversed_everywhere])
def test_torch_views_give_the_same_bits(operator: str, layout: Layout) -> None:
    """PyTorch has no negative strides."""
    case = small_case(operator)
    assert_same_bits(to_numpy(case.mapped(layout).mapped(to_torch).run()), case.run())


@ALL_LAYOUTS
@pytest.mark.parametrize("operator", OPERATORS)
def test_inputs_are_never_written(operator: str, layout: Layout) -> None:
    case = small_case(operator).mapped(layout)
    memory = [_whole_memory(tensor) for tensor in case.tensors]
    before = [block.copy() for block in memory]
    case.run()
    for block, copy in zip(memory, before, strict=True):
        assert_same_bits(block, copy)


def _whole_memory(tensor: Array) -> Array:
    base = tensor
    while isinstance(base.base, np.ndarray):
        base = base.base
    return base if base.dtype.kind != "V" or base.dtype.names is None else base.view(np.uint8)


@pytest.mark.parametrize("operator", ANYWHERE)
def test_broadcast_tensors_are_read_as_what_they_stand_for(operator: str) -> None:
    case = small_case(operator)
    for position, tensor in enumerate(case.tensors):
        for axis in range(tensor.ndim):
            broadcast = np.broadcast_to(tensor[(slice(None),) * axis + (slice(0, 1),)], tensor.shape)
            assert broadcast.strides[axis] == 0
            expected = case.with_tensor(position, broadcast.copy()).run()
            assert_same_bits(case.with_tensor(position, broadcast).run(), expected, (position, axis))
            expanded = to_torch(tensor).select(axis, 0).unsqueeze(axis).expand(*tensor.shape)
            in_torch = case.mapped(to_torch).with_tensor(position, expanded)
            assert_same_bits(to_numpy(in_torch.run()), expected, (position, axis))


@pytest.mark.parametrize("operator", OPERATORS)
def test_one_value_for_everything(operator: str) -> None:
    case = small_case(operator)
    scalar = np.broadcast_to(np.float32(1.5), case.tensors[0].shape)
    assert_same_bits(case.with_tensor(0, scalar).run(), case.with_tensor(0, scalar.copy()).run())


# ---- channels last ----


def is_channels_last(array: Array) -> bool:
    return bool(np.moveaxis(array, 1, -1).flags.c_contiguous) and not array.flags.c_contiguous


@pytest.mark.parametrize("operator", [operator for operator in OPERATORS if registry.family_of(operator) != "unpool"])
def test_a_channels_last_gradient_gives_a_channels_last_result(operator: str) -> None:
    case = small_case(operator)
    result = case.mapped(channels_last).run()
    assert is_channels_last(result)
    assert_same_bits(result, case.run())
    if operator in UPSAMPLE and AXES[operator] > 1:  # PyTorch has no such layout of lines
        memory_format = torch.channels_last if AXES[operator] == 2 else torch.channels_last_3d
        tensor = to_torch(case.tensors[0]).contiguous(memory_format=memory_format)
        assert case.with_tensor(0, tensor).run().is_contiguous(memory_format=memory_format)


def test_unpooling_gives_a_contiguous_result() -> None:
    """Its result is documented to be contiguous."""
    assert small_case(UNPOOL).mapped(channels_last).run().flags.c_contiguous


def test_other_layouts_give_a_contiguous_result() -> None:
    for operator in OPERATORS:
        for layout in STRIDED:
            lines = registry.axes_of(operator) == 1  # whose swapped axes are channels-last
            if layout is not channels_last and not (lines and layout is swapped_rows_and_columns):
                assert small_case(operator).mapped(layout).run().flags.c_contiguous, (operator, layout)


# ---- data_format, channels last ----

CHANNELS_LAST = [name for name in UPSAMPLE if len(SPECS[name].data_formats) > 1]


def _channels_last(case: Case, input_size: tuple[int, ...]) -> Case:
    tensor = np.ascontiguousarray(np.moveaxis(case.tensors[0], 1, -1))
    order = SPECS[case.operator].data_formats[1]
    return Case(case.operator, (tensor,), (case.parameters[0], input_size), {"data_format": order})


@pytest.mark.parametrize("operator", CHANNELS_LAST)
@pytest.mark.parametrize("dtype", [np.dtype(np.float32), np.dtype(np.float16)])
def test_channels_last_arrays(operator: str, dtype: np.dtype[Any]) -> None:
    case = small_case(operator, dtype, batch=(2, 5))  # C is no other size, so both orders of input_size are clear
    expected = np.moveaxis(case.run(), 1, -1)
    n, c, *sizes = case.result_shape
    for input_size in ((n, c, *sizes), (n, *sizes, c)):
        last = _channels_last(case, input_size)
        result = last.run()
        assert result.flags.c_contiguous
        assert_same_bits(result, expected)
        assert_same_bits(to_numpy(last.mapped(to_torch).run()), expected)
        out = np.full(expected.shape, np.nan, dtype)
        assert last.run(out=out) is out
        assert_same_bits(out, expected)


@pytest.mark.parametrize("operator", CHANNELS_LAST)
def test_an_ambiguous_input_size_is_read_in_the_devices_order(operator: str) -> None:
    """C is 3, and so are the second and the last number: both orders fit, and the device's counts."""
    spec = SPECS[operator]
    outer, sizes = (6, 3, 4)[-AXES[operator] :], (5, 6, 3)[-AXES[operator] :]
    gradient = np.zeros((3, *outer, 3), np.float32)
    result = Case(operator, (gradient,), (outer, (3, 3, *sizes)), {"data_format": spec.data_formats[1]}).run()
    first, last = (3, *sizes, 3), (3, 3, *sizes)
    assert result.shape == (last if spec.input_size_follows_format else first)


@pytest.mark.parametrize("operator", OPERATORS)
def test_read_only_tensors_work_in_every_layout(operator: str) -> None:
    case = small_case(operator)
    for layout in LAYOUTS:
        frozen = case.mapped(layout)
        for tensor in frozen.tensors:
            tensor.flags.writeable = False
        assert_same_bits(frozen.run(), case.run(), layout)
