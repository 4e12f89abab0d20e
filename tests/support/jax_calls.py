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
