"""The same data through both doors: the same bits, for every dtype and layout, views with offsets included."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from acltwin.ops import OPERATORS, OpSpec
from support.acl_door import Door, OpenDoor
from support.cases import (
    NEAREST3D,
    OPERATOR_DTYPES,
    POOL,
    UNPOOL,
    UPSAMPLE,
    Case,
    Window,
    name_of,
    pool,
    small_case,
    unpool,
    upsample,
)
from support.layouts import STRIDED, Layout, contiguous
from support.registry import axes_of
from support.values import Array

DOCUMENTED = [
    (operator, dtype)
    for operator, dtype in OPERATOR_DTYPES
    if name_of(dtype) in OPERATORS[operator].arguments[0].dtypes
    and ("Ascend910B", name_of(dtype)) not in OPERATORS[operator].arguments[0].lacking
]
EVERY_DTYPE = pytest.mark.parametrize(
    ("operator", "dtype"), DOCUMENTED, ids=[f"{operator}-{name_of(dtype)}" for operator, dtype in DOCUMENTED]
)
EVERY_LAYOUT = pytest.mark.parametrize("layout", [contiguous, *STRIDED], ids=lambda layout: layout.__name__)


def through_aclnn(door: Door, case: Case, out: Array, format: str = "ND") -> Array:
    """The case's result, written into a tensor with the layout of ``out``."""
    spec = OPERATORS[case.operator]
    formats = spec.arguments[0].formats
    known = format if format in formats or "ND" in formats or format != "ND" else formats[0]
    result = door.place(out, known)
    tensors = [door.place(tensor, known) for tensor in case.tensors]
    parameters = [_per_axis(spec, value) for value in case.parameters]
    left = spec.parameters[len(tensors) + len(parameters) :]
    parameters += [0.0 if argument.is_scale else 0 for argument in left]
    arguments = dict.fromkeys([a.name for a in spec.inputs], 0)  # what arrays do not have is 0
    arguments.update(zip([a.name for a in spec.parameters], [*tensors, *parameters], strict=True))
    refusal = door.run(spec, {**arguments, spec.results[0].name: result})
    assert refusal is None, refusal
    return result.read()


def _per_axis(spec: OpSpec, value: Any) -> Any:
    if value is None:
        return 0
    return (value,) * len(spec.axes) if isinstance(value, int) and not isinstance(value, bool) else value


def assert_same_bits(case: Case, expected: Array, result: Array) -> None:
    assert result.dtype == expected.dtype
    assert result.tobytes() == np.ascontiguousarray(expected).tobytes(), case.operator


@EVERY_DTYPE
@EVERY_LAYOUT
def test_every_dtype_and_layout(door: Door, operator: str, dtype: np.dtype[Any], layout: Layout) -> None:
    case = small_case(operator, dtype)
    expected = case.run()
    out = np.full_like(expected, 7)
    inputs = case.mapped(layout)
    # Unpooling wants a contiguous result.
    assert_same_bits(case, expected, through_aclnn(door, inputs, out if operator == UNPOOL else layout(out)))


@EVERY_DTYPE
def test_the_results_layout_is_free_of_the_inputs(door: Door, operator: str, dtype: np.dtype[Any]) -> None:
    if operator == UNPOOL:
        pytest.skip("unpooling wants a contiguous result")
    case = small_case(operator, dtype)
    expected = case.run()
    for layout in STRIDED:
        assert_same_bits(case, expected, through_aclnn(door, case, layout(np.full_like(expected, 7))))


@pytest.mark.parametrize("operator", [operator for operator in UPSAMPLE if len(OPERATORS[operator].data_formats) > 1])
def test_channels_last_formats(door: Door, operator: str) -> None:
    case = small_case(operator)
    expected = np.moveaxis(case.run(), 1, -1)
    last = case.mapped(lambda tensor: np.ascontiguousarray(np.moveaxis(tensor, 1, -1)))
    order = OPERATORS[operator].data_formats[1]
    if OPERATORS[operator].input_size_follows_format:
        output_size, _, *scales = case.parameters
        last = replace(last, parameters=(output_size, expected.shape, *scales))
    result = through_aclnn(door, last, np.zeros(expected.shape, expected.dtype), order)
    assert_same_bits(case, expected, result)


@pytest.mark.parametrize("operator", UPSAMPLE)
def test_given_scales(door: Door, operator: str, rng: np.random.Generator) -> None:
    axes = axes_of(operator)
    case = upsample(rng, operator, np.dtype(np.float32), (9,) * axes, (6,) * axes, (1.5,) * axes)
    assert_same_bits(case, case.run(), through_aclnn(door, case, np.zeros(case.result_shape, np.float32)))


def test_large_tensors_that_use_every_thread(door: Door, rng: np.random.Generator) -> None:
    float32 = np.dtype(np.float32)
    cases = [
        upsample(rng, NEAREST3D, float32, (32, 64, 64), (16, 32, 32), batch=(2, 8)),
        unpool(rng, float32, (16, 64, 64), (16, 64, 64), batch=(2, 8)),
        pool(rng, float32, (16, 64, 64), Window((3, 3, 3), (2, 2, 2), (1, 1, 1)), batch=(2, 8)),
    ]
    for case in cases:
        assert_same_bits(case, case.run(), through_aclnn(door, case, np.zeros(case.result_shape, float32)))


def test_int64_indices_on_the_soc_that_takes_them(open_door: OpenDoor, rng: np.random.Generator) -> None:
    case = pool(rng, np.dtype(np.float16), (5, 6, 9), Window((2, 2, 2), (2, 2, 2)), index_dtype=np.int64)
    result = through_aclnn(open_door(soc="Ascend950"), case, np.zeros(case.result_shape, np.float16))
    assert_same_bits(case, case.run(), result)


@pytest.mark.parametrize("operator", [POOL, UNPOOL])
def test_four_dimensions(door: Door, operator: str, rng: np.random.Generator) -> None:
    float32 = np.dtype(np.float32)
    if operator == UNPOOL:
        case = unpool(rng, float32, (4, 6, 9), (2, 3, 5), batch=(3,))
    else:
        case = pool(rng, float32, (4, 6, 9), Window((2, 3, 3), (2, 3, 3)), batch=(3,))
    assert_same_bits(case, case.run(), through_aclnn(door, case, np.zeros(case.result_shape, float32)))
