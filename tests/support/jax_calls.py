"""Calls of all operators, for the array functions and for those of acltwin.jax."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from acltwin.ops import OPERATORS as SPECS
from support import cases, forward, registry
from support.cases import Case
from support.lazy import acltwin_jax, jax, jnp
from support.values import FLOATS, Array

FORWARD = {gradient: SPECS[gradient].partner for gradient in registry.PLANEWISE_GRADIENTS}
EVERY = tuple(name for name in (*forward.OPERATORS, *cases.OPERATORS) if SPECS[name].planewise)
ALL_CALLS = [pair for pair in (*forward.OPERATOR_DTYPES, *cases.OPERATOR_DTYPES) if pair[0] in EVERY]


def forward_case(gradient: str, dtype: np.dtype[Any] = FLOATS[0]) -> Case:
    """A call of the operator whose gradient has this name."""
    return forward.small_case(FORWARD[gradient], dtype)


def as_function(case: Case) -> Callable[..., Any]:
    """The function of acltwin.jax as a function of the tensors alone."""
    function = getattr(acltwin_jax, case.operator)
    return lambda *tensors: function(*tensors, *case.parameters, **case.keywords)


def on_jax(case: Case) -> tuple[jax.Array, ...]:
    return tuple(jnp.asarray(tensor) for tensor in case.tensors)


def as_tuple(result: Any) -> tuple[Array, ...]:
    return tuple(np.asarray(part) for part in (result if isinstance(result, tuple | list) else (result,)))


def assert_derivatives(function: Callable[[Any], Any], x: jax.Array) -> None:
    """First and second derivatives, along tangents and back: by differences, and each by the others.

    As ``jax.test_util.check_grads`` of order 2 in both modes, with a third of the programs to compile.
    """
    rng, step = np.random.default_rng(4), 1e-6
    value = jax.jit(function)
    tangent, other = (jnp.asarray(rng.standard_normal(x.shape)) for _ in range(2))
    weights = jnp.asarray(rng.standard_normal(value(x).shape))

    def slope(x: jax.Array) -> jax.Array:
        return jax.jvp(function, (x,), (tangent,))[1]

    @jax.jit
    def gradient(x: jax.Array) -> jax.Array:
        return jax.vjp(function, x)[1](weights)[0]

    def differences(function: Callable[[Any], Any]) -> Array:
        return np.asarray((function(x + step * tangent) - function(x - step * tangent)) / (2 * step))

    def along(function: Callable[[Any], Any], tangent: jax.Array) -> Array:
        return np.asarray(jax.jit(lambda x: jax.jvp(function, (x,), (tangent,))[1])(x))

    first, second = along(function, tangent), along(gradient, tangent)
    np.testing.assert_allclose(first, differences(value), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(second, differences(gradient), rtol=1e-6, atol=1e-6)
    back = jax.jit(lambda x: jax.vjp(gradient, x)[1](other)[0])(x)
    for one, same in (
        (np.vdot(gradient(x), tangent), np.vdot(weights, first)),
        (np.vdot(back, tangent), np.vdot(other, second)),
        (np.vdot(weights, along(slope, other)), np.vdot(other, second)),
    ):
        np.testing.assert_allclose(one, same, rtol=1e-9, atol=1e-9)
