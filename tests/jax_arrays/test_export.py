"""Programs that travel: jax.export, with batch sizes that are not known yet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from acltwin.ops import PLANEWISE
from support import registry
from support.forward import any_case
from support.jax_calls import as_function, as_tuple, on_jax
from support.lazy import Lazy, jax, jnp
from support.lazy import acltwin_jax as twin
from support.messages import explains
from support.values import assert_same_bits

_engine = Lazy("acltwin.jax._engine")


def exported(function: Callable[..., Any], *types: jax.ShapeDtypeStruct) -> Callable[..., Any]:
    allowed = [jax.export.DisabledSafetyCheck.custom_call(_engine.TARGET)]
    call: Callable[..., Any] = jax.export.export(jax.jit(function), disabled_checks=allowed)(*types).call
    return call


def symbolic(text: str, dtype: Any = np.float32) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(jax.export.symbolic_shape(text), dtype)


@pytest.mark.parametrize("operator", registry.representatives(PLANEWISE))
def test_every_operator_travels(operator: str) -> None:
    case = any_case(operator)
    tensors = on_jax(case)
    call = exported(as_function(case), *(jax.ShapeDtypeStruct(tensor.shape, tensor.dtype) for tensor in tensors))
    for actual, expected in zip(as_tuple(call(*tensors)), as_tuple(case.run()), strict=True):
        assert_same_bits(actual, expected)


def network(x: jax.Array) -> tuple[jax.Array, jax.Array]:
    pooled, indices = twin.max_pool3d_with_argmax(x, 2)
    restored = twin.max_unpool3d(jnp.tanh(pooled), indices, x.shape[2:])
    return restored + twin.upsample_nearest3d(pooled, x.shape[2:]), indices


def gradient(x: jax.Array) -> jax.Array:
    return jax.grad(lambda x: (network(x)[0] ** 2).sum())(x)


@pytest.mark.parametrize("function", [network, gradient])
def test_a_batch_without_a_size(function: Callable[..., Any]) -> None:
    call = exported(function, symbolic("n, c, 4, 4, 6"))
    for batch in ((1, 1), (3, 2), (5, 7)):
        x = jnp.asarray(np.random.default_rng(1).standard_normal((*batch, 4, 4, 6)), jnp.float32)
        for actual, expected in zip(as_tuple(call(x)), as_tuple(jax.jit(function)(x)), strict=True):
            assert_same_bits(actual, expected)


def test_channels_last_and_vmap_without_a_size() -> None:
    def pooled(x: jax.Array) -> jax.Array:
        return jax.vmap(lambda x: twin.max_pool3d_with_argmax(x, 2, data_format="NDHWC")[0])(x)

    x = jnp.asarray(np.random.default_rng(1).standard_normal((2, 3, 4, 4, 6, 5)), jnp.float32)
    assert_same_bits(np.asarray(exported(pooled, symbolic("b, n, 4, 4, 6, c"))(x)), np.asarray(pooled(x)))


def test_a_size_that_begins_with_a_symbol() -> None:
    def backward(x: jax.Array) -> jax.Array:
        return twin.upsample_nearest3d_backward(x, (4, 4, 6), (*x.shape[:2], 2, 2, 3))

    x = jnp.asarray(np.random.default_rng(1).standard_normal((2, 3, 4, 4, 6)), jnp.float32)
    assert_same_bits(np.asarray(exported(backward, symbolic("n, c, 4, 4, 6"))(x)), np.asarray(backward(x)))


def test_symbols_that_differ_are_refused_by_name() -> None:
    n, m = jax.export.symbolic_shape("n, m")
    types = (jax.ShapeDtypeStruct((size, 3, 2, 2, 2), dtype) for size, dtype in ((n, np.float32), (m, np.int32)))
    with explains(ValueError, "max_unpool3d", "indices is (m, 3, 2, 2, 2)", "(n, 3, 2, 2, 2)"):
        exported(lambda x, i: twin.max_unpool3d(x, i, (4, 4, 4)), *types)


def test_planes_without_a_size_are_refused() -> None:
    with explains(ValueError, "upsample_nearest3d", "input is (1, 1, d, 2, 2)", "only N and C may be symbolic"):
        exported(lambda x: twin.upsample_nearest3d(x, (4, 4, 4)), symbolic("1, 1, d, 2, 2"))
    with explains(ValueError, "upsample_nearest3d", "output_size is (2*n, 4, 4)", "only N and C may be symbolic"):
        exported(lambda x: twin.upsample_nearest3d(x, (2 * x.shape[0], 4, 4)), symbolic("n, 1, 2, 2, 2"))


def test_callbacks_need_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(_engine.VARIABLE, "pure_callback")
    jax.clear_caches()
    with explains(ValueError, "upsample_nearest3d", "(n, 1, 2, 2, 2)", "xla_ffi"):
        exported(lambda x: twin.upsample_nearest3d(x, (4, 4, 4)), symbolic("n, 1, 2, 2, 2"))
    jax.clear_caches()
