"""The functions of acltwin.jax give the bits of the array functions, compiled or not, on both engines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acltwin
from support import registry
from support.cases import EXACT2D, NEAREST3D, POOL, UNPOOL, Case, name_of, small_case
from support.forward import any_case
from support.jax_calls import ALL_CALLS, as_function, as_tuple, forward_case, on_jax
from support.lazy import acltwin_jax, jax, jnp
from support.thorough import THOROUGH
from support.values import BFLOAT16, assert_same_bits, random_bits

FLOAT32 = np.dtype(np.float32)


def assert_equals_array_function(case: Case) -> None:
    expected = as_tuple(case.run())
    function, tensors = as_function(case), on_jax(case)
    for call in (function, jax.jit(function)):
        actual = as_tuple(call(*tensors))
        assert len(actual) == len(expected)
        for a, e in zip(actual, expected, strict=True):
            assert_same_bits(a, e, case.operator)


# What a dtype changes is the same for a family, and so is what an engine changes; all dtypes on both for one operator.
CALLS = [
    (*pair, engine)
    for engine in ("xla_ffi", "pure_callback")
    for pair in ALL_CALLS
    if (pair[0] in registry.representatives() and (engine == "xla_ffi" or pair[1] == FLOAT32 or pair[0] == UNPOOL))
    or (pair[1] == FLOAT32 and engine == "xla_ffi")
    or THOROUGH
]


@pytest.mark.parametrize(
    ("operator", "dtype", "engine"),
    CALLS,
    ids=[f"{operator}-{name_of(dtype)}-{engine}" for operator, dtype, engine in CALLS],
    indirect=["engine"],
)
def test_every_operator_and_dtype(operator: str, dtype: np.dtype[Any], engine: str) -> None:
    assert_equals_array_function(any_case(operator, dtype))


@pytest.mark.parametrize("rule", ["device", "torch"])
@pytest.mark.parametrize("scales", [(0.0, 0.0, 0.0), (1.7, 1.7, 2.4), (None, 1.7, None)])
@pytest.mark.parametrize("data_format", ["NCDHW", "NDHWC"])
def test_rules_scales_and_formats(rule: str, scales: tuple[Any, ...], data_format: str, engine: str) -> None:
    gradient = np.random.default_rng(3).standard_normal((2, 5, 7, 19, 3)).astype(np.float32)
    if data_format == "NCDHW":
        gradient = np.ascontiguousarray(np.moveaxis(gradient, -1, 1))
    keywords = {"data_format": data_format, "rule": rule}
    assert_equals_array_function(Case(NEAREST3D, (gradient,), ((5, 7, 19), (2, 3, 3, 4, 8), *scales), keywords))


def test_channels_last_in_two_dimensions(engine: str) -> None:
    image = np.random.default_rng(3).standard_normal((2, 4, 8, 3)).astype(np.float32)
    assert_equals_array_function(Case("upsample_nearest_exact2d", (image,), ((7, 19),), {"data_format": "NHWC"}))


@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
@pytest.mark.parametrize("operator", ["max_unpool3d", UNPOOL, POOL])
def test_indices_of_both_widths(operator: str, index_dtype: type, engine: str) -> None:
    case = any_case(operator)
    last = len(case.tensors) - 1
    assert_equals_array_function(case.with_tensor(last, case.tensors[last].astype(index_dtype)))


@pytest.mark.parametrize("index_dtype", ["int32", "int64"])
def test_indices_of_both_widths_come_out(index_dtype: str, engine: str) -> None:
    case = forward_case(POOL)
    assert_equals_array_function(Case(case.operator, case.tensors, case.parameters, {"index_dtype": index_dtype}))


def test_without_64_bits_indices_are_int32(narrow_types: None, engine: str) -> None:
    (image,) = on_jax(forward_case(POOL))
    pooled, indices = jax.jit(as_function(forward_case(POOL)))(image)
    assert indices.dtype == jnp.int32
    restored = acltwin_jax.max_unpool3d(pooled, indices, image.shape[2:], (1, 1, 1), (0, 0, 0))
    assert_same_bits(
        np.asarray(restored),
        acltwin.max_unpool3d(np.asarray(pooled), np.asarray(indices), image.shape[2:], (1, 1, 1), (0, 0, 0)),
    )


@pytest.mark.parametrize("gradient", [UNPOOL, POOL])
def test_four_dimensions(gradient: str, engine: str) -> None:
    for case in (small_case(gradient, batch=(2, 3)), forward_case(gradient)):
        assert_equals_array_function(case.mapped(lambda tensor: tensor[0]))


@pytest.mark.parametrize("dtype", [FLOAT32, BFLOAT16])
@pytest.mark.parametrize("operator", ["upsample_nearest3d", UNPOOL, "max_unpool3d"])
def test_copies_keep_every_bit(operator: str, dtype: np.dtype[Any], engine: str) -> None:
    case = any_case(operator, dtype)
    anything = random_bits(np.random.default_rng(5), case.tensors[0].shape, dtype)
    assert_equals_array_function(case.with_tensor(0, anything))


def test_denormal_numbers_are_not_flushed(engine: str) -> None:
    tiny = np.full((1, 1, 1, 1, 4), 1e-45, np.float32)
    result = jax.jit(as_function(Case(NEAREST3D, (), ((1, 1, 4), (1, 1, 1, 1, 2)))))(jnp.asarray(tiny))
    assert np.asarray(result).view(np.uint32).ravel().tolist() == [2, 2]


@pytest.mark.parametrize("operator", [NEAREST3D, "upsample_nearest3d", EXACT2D, "max_unpool3d", POOL])
def test_empty_batches(operator: str, engine: str) -> None:
    case = any_case(operator)
    parameters = list(case.parameters)
    if operator in (NEAREST3D, EXACT2D):
        parameters[1] = (0, *parameters[1][1:])
    empty = Case(operator, tuple(tensor[:0] for tensor in case.tensors), tuple(parameters))
    assert_equals_array_function(empty)


def test_numpy_arrays_are_taken(engine: str) -> None:
    case = small_case(POOL)
    assert_same_bits(np.asarray(as_function(case)(*case.tensors)), case.run())
