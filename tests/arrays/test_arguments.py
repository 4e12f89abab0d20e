"""Numbers, sequences, None: what arguments may look like, and what is said about those that cannot be."""

from __future__ import annotations

import array
import inspect
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin.ops import OPERATORS as SPECS
from support import registry
from support.cases import (
    EXACT2D,
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
)
from support.lazy import torch
from support.messages import explains
from support.values import assert_same_bits

SIZED = [operator for operator in OPERATORS if registry.takes_sizes(operator)]
SEQUENCES = [
    tuple,
    list,
    np.array,
    lambda values: torch.tensor(values),
    lambda values: torch.Size(values),
    lambda values: array.array("q", values),
    lambda values: [np.int32(value) for value in values],
]


def with_parameter(case: Case, position: int, value: Any) -> Case:
    return replace(case, parameters=(*case.parameters[:position], value, *case.parameters[position + 1 :]))


@pytest.mark.parametrize("make", SEQUENCES)
@pytest.mark.parametrize("operator", OPERATORS)
def test_sizes_may_be_any_sequence(operator: str, make: Any) -> None:
    case = small_case(operator)
    expected = case.run()
    for position, value in enumerate(case.parameters):
        if isinstance(value, tuple):
            assert_same_bits(with_parameter(case, position, make(value)).run(), expected, position)


def test_arguments_have_their_documented_names() -> None:
    sizes = ["output_size", "input_size"]
    windows = ["grad_output", "input", "indices"]
    documented = {
        EXACT3D: ["grad_out", *sizes, "scales_d", "scales_h", "scales_w", "data_format", "rule", "out"],
        NEAREST3D: ["grad_out", *sizes, "scales_d", "scales_h", "scales_w", "data_format", "rule", "out"],
        EXACT2D: ["grad_output", *sizes, "scales_h", "scales_w", "rule", "out"],
        UNPOOL: [*windows, "output_size", "stride", "padding", "data_format", "out"],
        POOL: [*windows, "kernel_size", "stride", "padding", "dilation", "ceil_mode", "data_format", "out"],
    }
    for operator, names in documented.items():
        parameters = inspect.signature(getattr(acltwin, operator)).parameters
        assert list(parameters) == names
        for name in ("data_format", "rule", "out"):
            if name in parameters:
                assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY
    case = small_case(POOL)
    named = dict(zip(documented[POOL], (*case.tensors, *case.parameters), strict=False))
    assert_same_bits(acltwin.max_pool3d_with_argmax_backward(**named), case.run())


@pytest.mark.parametrize("operator", UPSAMPLE)
def test_scales_of_zero_and_none_mean_not_given(operator: str) -> None:
    case = small_case(operator)
    axes = len(case.parameters[0])
    for scales in ((0.0,) * axes, (None,) * axes, (0,) * axes, (-0.0,) * axes, (float("nan"),) * axes, (1e-50,) * axes):
        assert_same_bits(replace(case, parameters=(*case.parameters, *scales)).run(), case.run(), scales)


@pytest.mark.parametrize("operator", UPSAMPLE)
def test_scales_may_be_any_number(operator: str) -> None:
    case = small_case(operator)
    axes = len(case.parameters[0])
    expected = replace(case, parameters=(*case.parameters, *(2.0,) * axes)).run()
    for two in (2, np.float32(2), np.float64(2), np.int64(2), torch.tensor(2.0)):
        assert_same_bits(replace(case, parameters=(*case.parameters, *(two,) * axes)).run(), expected, type(two))


def test_the_3d_operators_take_scales_only_together(rng: np.random.Generator) -> None:
    """By the device rule; by PyTorch's, every axis decides for itself."""
    for operator in (EXACT3D, NEAREST3D):
        case = small_case(operator)
        for scales in ((3.0, 0, 0), (0, 3.0, 3.0), (3.0, None, 3.0)):
            partly = replace(case, parameters=(*case.parameters, *scales))
            assert_same_bits(partly.run(), case.run(), scales)
            assert not np.array_equal(partly.run(rule="torch"), case.run(rule="torch"))


def test_exact2d_takes_each_scale_on_its_own() -> None:
    case = small_case(EXACT2D)
    assert not np.array_equal(replace(case, parameters=(*case.parameters, 3.0, 0)).run(), case.run())


def test_pooling_arguments_may_be_one_number_for_all_axes(rng: np.random.Generator) -> None:
    case = pool(rng, np.dtype(np.float32), (6, 8, 10), Window((3, 3, 3), (2, 2, 2), (1, 1, 1)))
    expected = case.run()
    for three, two, one in ((3, 2, 1), ([3], [2], [1]), ((3, 3, 3), 2, [1]), (np.int8(3), np.int64(2), True)):
        assert_same_bits(replace(case, parameters=(three, two, one, 1, False)).run(), expected)


def test_no_stride_means_the_kernel_size(rng: np.random.Generator) -> None:
    case = pool(rng, np.dtype(np.float32), (6, 8, 12), Window((2, 4, 3), (2, 4, 3)))
    strides: tuple[Any, ...] = (None, (), [], np.array([], np.int64))
    for stride in strides:
        assert_same_bits(with_parameter(case, 1, stride).run(), case.run())


def test_unpooling_arguments_may_be_one_number_for_all_axes() -> None:
    case = small_case(UNPOOL)
    output_size = case.parameters[0]
    for stride, padding in ((2, 0), ((2, 2, 2), (0, 0, 0)), ([2], [0]), ((2, 1, 3), (0, 1, -1))):
        assert_same_bits(replace(case, parameters=(output_size, stride, padding)).run(), case.run())


# ---- refused ----


@pytest.mark.parametrize("operator", SIZED)
@pytest.mark.parametrize(
    "thing",
    [
        *("12", 1.5, [1.5, 2, 3], ["a"], [None], object(), {1: 2}.items),
        *(b"\4\2\2", bytearray(b"\4\2\2"), {4: 1, 3: 1, 2: 1}, {4, 3, 2}, frozenset({4, 3, 2})),
    ],
    ids=lambda thing: type(thing).__name__,
)
def test_what_is_no_sequence_of_whole_numbers_is_refused(operator: str, thing: object) -> None:
    case = small_case(operator)
    name = next(argument.python_name for argument in SPECS[operator].inputs if argument.kind == "int_array")
    with explains((TypeError, ValueError), operator, name):  # type: ignore[arg-type]
        with_parameter(case, 0, thing).run()


@pytest.mark.parametrize("operator", SIZED)
def test_numbers_beyond_64_bits_are_refused(operator: str) -> None:
    for huge in (2**63, -(2**63) - 1, 2**200):
        with explains(ValueError, operator, "64 bits"):
            with_parameter(small_case(operator), 0, (huge, 1, 1)).run()


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("length", [0, 2, 4, 16, 17, 1000])
def test_a_wrong_number_of_values_is_refused(operator: str, length: int) -> None:
    case = small_case(operator)
    for position, value in enumerate(case.parameters):
        if (
            isinstance(value, tuple)
            and length != len(value)
            and not (
                registry.family_of(operator) in ("pool", "masked_pool", "average") and position == 1 and length == 0
            )
        ):
            with explains(ValueError, operator, f"{length or 'no'} value", "expected"):
                with_parameter(case, position, (1,) * length).run()


@pytest.mark.parametrize("operator", UPSAMPLE)
def test_scales_that_are_no_numbers_are_refused(operator: str) -> None:
    case = small_case(operator)
    for thing in ("2", [2.0], object()):
        with explains(TypeError, operator, registry.scale_names(operator)[0], "expected a number"):
            replace(case, parameters=(*case.parameters, thing)).run()


@pytest.mark.parametrize("operator", UPSAMPLE)
def test_scales_below_zero_and_infinite_ones_are_refused(operator: str) -> None:
    case = small_case(operator)
    for scale in (-1.0, -1e-300, float("inf"), float("-inf")):
        with explains(ValueError, operator, registry.scale_names(operator)[0], "expected"):
            replace(case, parameters=(*case.parameters, scale)).run()


def test_unknown_words_are_refused() -> None:
    for operator in UPSAMPLE:
        for rule in ("pytorch", "DEVICE", "", None, 1, "torch\0"):
            with explains(ValueError, operator, "rule", '"device" or "torch"'):
                small_case(operator).run(rule=rule)
    for operator in (EXACT3D, NEAREST3D):
        for data_format in ("NCHW", "ndhwc", None, 5):
            with explains(ValueError, operator, "data_format", '"NCDHW" or "NDHWC"'):
                small_case(operator).run(data_format=data_format)


def test_wrong_ranks_and_shapes_are_refused() -> None:
    for operator in OPERATORS:
        case = small_case(operator)
        for position, tensor in enumerate(case.tensors):
            wrong_ones = [tensor[0, 0], tensor[None, None], tensor[:1], np.zeros((), tensor.dtype)]
            if not registry.takes_any_gradient(operator):
                wrong_ones.append(tensor[..., :-1])
            for wrong in wrong_ones:
                with explains(ValueError, operator, "expected"):
                    case.with_tensor(position, wrong).run()


def test_tensors_of_too_many_dimensions_are_refused() -> None:
    for operator in OPERATORS:
        case = small_case(operator)
        for rank in (8, 9, 30, 64):
            for position, tensor in enumerate(case.tensors):
                with explains(ValueError, operator, f"{rank} dimensions"):
                    case.with_tensor(position, np.zeros((1,) * rank, tensor.dtype)).run()


def test_the_sizes_of_one_call_must_agree() -> None:
    case = small_case(NEAREST3D)
    with explains(ValueError, NEAREST3D, "grad_out", "(2, 3, 5, 7, 19)", "expected (2, 3, 5, 7, 18)"):
        with_parameter(case, 0, (5, 7, 18)).run()
    with explains(ValueError, NEAREST3D, "grad_out", "expected (2, 4, 5, 7, 19)"):
        with_parameter(case, 1, (2, 4, 3, 4, 8)).run()
    case = small_case(UNPOOL)
    with explains(ValueError, UNPOOL, "(2, 3, 4, 6, 9)", "expected D, H, W = (4, 6, 8)"):
        with_parameter(case, 0, (4, 6, 8)).run()
    with explains(ValueError, UNPOOL, "output_size has 2 values, expected 3 (D, H, W)", "pass output_size=(4, 6, 9)"):
        with_parameter(case, 0, (6, 9)).run()
    case = small_case(POOL)
    with explains(ValueError, POOL, "grad_output", "expected ("):
        with_parameter(case, 0, (2, 2, 2)).run()


def test_unpooling_refuses_windows_of_nonsense() -> None:
    case = small_case(UNPOOL)
    for stride in (0, -1, (1, 0, 1)):
        with explains(ValueError, UNPOOL, "stride", "expected"):
            with_parameter(case, 1, stride).run()


def test_pooling_refuses_windows_of_nonsense() -> None:
    case = small_case(POOL)
    wrong: dict[int, tuple[Any, ...]] = {0: (0, -2), 1: (0, -1), 2: (-1, (2, 0, 0)), 3: (0, -1)}
    names = ("kernel_size", "stride", "padding", "dilation")
    for position, values in wrong.items():
        for value in values:
            with explains(ValueError, POOL, names[position], "expected"):
                with_parameter(case, position, value).run()


def test_pooling_tells_how_many_values_there_may_be() -> None:
    with explains(ValueError, POOL, "kernel_size has 2 values, expected 1 or 3 (D, H, W, or 1 for all axes)"):
        with_parameter(small_case(POOL), 0, (2, 2)).run()


def test_a_flag_is_true_or_false() -> None:
    case = small_case(POOL)
    for yes, no in ((True, False), (np.bool_(True), np.bool_(False)), (1, 0)):
        assert_same_bits(with_parameter(case, 4, no).run(), case.run())
        with explains(ValueError, POOL, "ceil_mode true"):  # the sizes are those of no ceil_mode
            with_parameter(case, 4, yes).run()
    for thing in ("no", "", None, 2, -1, 2**100, 1.0, [], np.array([True]), object()):
        with explains(TypeError, POOL, f"ceil_mode is {thing!r}, expected True or False"):
            with_parameter(case, 4, thing).run()


def test_a_result_without_memory_is_explained() -> None:
    tensor = np.ones((1, 1, 2, 2, 2), np.float32)
    with explains(MemoryError, "upsample_nearest3d", f"no memory for a result of {2**60} bytes", "out"):
        acltwin.upsample_nearest3d(tensor, (2**20, 2**20, 2**18))


def test_threads_and_pool_refuse_nonsense() -> None:
    for n in (0, -1, 257, 2**40):
        with pytest.raises(ValueError, match=r"set_num_threads: n is .*expected 1 to 256"):
            acltwin.set_num_threads(n)
    for thing in ("2", 1.5, None):
        with pytest.raises(TypeError):
            acltwin.set_num_threads(thing)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            acltwin.set_output_pool_limit(thing)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected 0"):
        acltwin.set_output_pool_limit(-1)
