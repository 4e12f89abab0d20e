"""N, D, H, W, C: the bits of the same call on turned arrays, without turning them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from acltwin.ops import PLANEWISE
from acltwin.ops import PLANEWISE as OPERATORS
from support import registry
from support.cases import EXACT2D, POOL, UNPOOL
from support.forward import any_case
from support.jax_calls import EVERY, as_function, as_tuple, assert_derivatives, on_jax
from support.lazy import acltwin_jax as twin
from support.lazy import jax, jnp
from support.messages import explains
from support.thorough import THOROUGH
from support.values import assert_same_bits

FLOAT64 = np.dtype(np.float64)


def turned(operator: str, dtype: np.dtype[Any] = FLOAT64) -> tuple[Callable[..., Any], list[jax.Array]]:
    """A call on channels-last arrays, as a function of them."""
    from acltwin.jax._signatures import axis_orders

    case = any_case(operator, dtype)
    case.keywords["data_format"] = axis_orders(OPERATORS[operator])[1]
    return as_function(case), [jnp.moveaxis(tensor, 1, -1) for tensor in on_jax(case)]


@pytest.mark.parametrize(
    ("operator", "engine"),
    [
        *((operator, "xla_ffi") for operator in EVERY),
        *((operator, "pure_callback") for operator in (EVERY if THOROUGH else registry.representatives(PLANEWISE))),
    ],
    indirect=["engine"],
)
def test_every_operator(operator: str, engine: str) -> None:
    function, tensors = turned(operator)
    expected = as_tuple(as_function(any_case(operator, FLOAT64))(*on_jax(any_case(operator, FLOAT64))))
    for call in (function, jax.jit(function)):
        for actual, bits in zip(as_tuple(call(*tensors)), expected, strict=True):
            assert_same_bits(np.ascontiguousarray(np.moveaxis(actual, -1, 1)), bits, operator)


@pytest.mark.parametrize("operator", EVERY)
def test_nothing_is_turned_or_copied(operator: str) -> None:
    function, tensors = turned(operator)
    program = jax.jit(function).lower(*tensors).compile().as_text()
    assert 'custom_call_target="acltwin"' in program
    assert " transpose(" not in program
    assert " copy(" not in program


@pytest.mark.parametrize("operator", registry.representatives(PLANEWISE))
def test_gradients(operator: str) -> None:
    function, (first, *others) = turned(operator)

    def of_first(x: jax.Array) -> jax.Array:
        result = function(x, *others)
        return jnp.sin(result[0] if isinstance(result, tuple) else result)

    assert_derivatives(of_first, first)


def test_more_windows_than_cells() -> None:
    image = jnp.asarray(np.random.default_rng(1).standard_normal((2, 3, 3, 3, 4)))

    def pooled(x: jax.Array) -> jax.Array:
        return twin.max_pool3d_with_argmax(x, 2, 1, 1, data_format="NDHWC")[0]

    assert_derivatives(lambda x: jnp.sin(pooled(x)), image)


def test_input_size_in_both_orders() -> None:
    gradient = jnp.ones((2, 4, 4, 6, 3))
    results = [
        twin.upsample_nearest3d_backward(gradient, (4, 4, 6), size, data_format="NDHWC")
        for size in ((2, 3, 2, 2, 3), (2, 2, 2, 3, 3))
    ]
    assert [result.shape for result in results] == [(2, 2, 2, 3, 3)] * 2


@pytest.mark.parametrize("operator", ["max_unpool3d", UNPOOL, POOL])
def test_an_index_outside_its_plane_is_named_channels_first(operator: str) -> None:
    function, (*others, indices) = turned(operator)
    wrong = indices.at[1, 0, 1, 1, 2].set(100_000)
    with pytest.raises((ValueError, jax.errors.JaxRuntimeError), match=r"indices\[1, 2, 0, 1, 1\] is 100000"):
        jax.block_until_ready(function(*others, wrong))


def test_unbatched_tensors_are_refused() -> None:
    with explains(ValueError, "max_pool3d_with_argmax", "input has 4 dimensions", "expected 5 (N, D, H, W, C)"):
        twin.max_pool3d_with_argmax(jnp.ones((4, 4, 4, 3)), 2, data_format="NDHWC")


def test_other_refusals_show_the_shape_that_was_passed() -> None:
    with explains(ValueError, "max_pool3d_with_argmax", "(2, 1, 4, 4, 3) with D = 1"):
        twin.max_pool3d_with_argmax(jnp.ones((2, 1, 4, 4, 3)), 2, data_format="NDHWC")


def test_other_refusals_say_which_order_they_mean() -> None:
    with explains(ValueError, EXACT2D, "(2, 5, 2, 2)", "NCHW", "NHWC"):
        twin.upsample_nearest_exact2d_backward(jnp.ones((2, 4, 4, 3)), (4, 4), (2, 5, 2, 2), data_format="NHWC")


def test_other_words_are_refused() -> None:
    with explains(ValueError, "max_pool3d_with_argmax", "data_format is 'NHWC'", "'NCDHW' or 'NDHWC'"):
        twin.max_pool3d_with_argmax(jnp.ones((2, 1, 4, 4, 3)), 2, data_format="NHWC")  # type: ignore[arg-type]
