"""vmap is a longer first axis: the same bits as a loop, alone and together with jit and grad."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from acltwin.ops import PLANEWISE
from support import registry
from support.cases import NEAREST3D, POOL, Case
from support.forward import any_case
from support.jax_calls import as_function, as_tuple, forward_case, on_jax
from support.lazy import acltwin_jax as twin
from support.lazy import jax, jnp
from support.values import assert_same_bits


def three_calls(operator: str) -> tuple[Callable[..., Any], list[tuple[jax.Array, ...]]]:
    cases = [any_case(operator, seed=seed) for seed in (1, 2, 3)]
    return as_function(cases[0]), [on_jax(case) for case in cases]


def stacked(calls: list[tuple[jax.Array, ...]], axis: int = 0) -> list[jax.Array]:
    return [jnp.stack(tensors, axis) for tensors in zip(*calls, strict=True)]


def assert_is_loop(batched: Any, function: Callable[..., Any], calls: list[tuple[jax.Array, ...]]) -> None:
    loop = [as_tuple(function(*call)) for call in calls]
    for part, result in enumerate(as_tuple(batched)):
        assert_same_bits(result, np.stack([results[part] for results in loop]))


@pytest.mark.parametrize("operator", registry.representatives(PLANEWISE))
def test_equals_a_loop(operator: str, engine: str) -> None:
    function, calls = three_calls(operator)
    assert_is_loop(jax.vmap(function)(*stacked(calls)), function, calls)
    assert_is_loop(jax.jit(jax.vmap(function))(*stacked(calls)), function, calls)


@pytest.mark.parametrize("operator", registry.representatives(PLANEWISE))
def test_any_axis_goes_in_and_comes_out(operator: str) -> None:
    function, calls = three_calls(operator)
    batched = jax.vmap(function, in_axes=2, out_axes=-1)(*stacked(calls, axis=2))
    moved = tuple(np.moveaxis(np.asarray(part), -1, 0) for part in as_tuple(batched))
    assert_is_loop(moved, function, calls)


@pytest.mark.parametrize("operator", ["max_unpool3d", "max_unpool3d_backward", "max_pool3d_with_argmax_backward"])
def test_indices_shared_by_the_whole_batch(operator: str) -> None:
    function, calls = three_calls(operator)
    *_, indices = calls[0]
    shared = [(*tensors, indices) for *tensors, _ in calls]
    in_axes = (*(0 for _ in calls[0][:-1]), None)
    assert_is_loop(jax.vmap(function, in_axes)(*stacked(calls)[:-1], indices), function, shared)


def test_nested() -> None:
    function, calls = three_calls(NEAREST3D)
    (batch,) = stacked(calls)
    nested = jax.vmap(jax.vmap(function))(jnp.stack([batch, -batch]))
    assert_same_bits(np.asarray(nested[1]), np.asarray(jax.vmap(function)(-batch)))


def test_channels_last() -> None:
    gradient = np.random.default_rng(3).standard_normal((4, 2, 5, 7, 19, 3)).astype(np.float32)
    case = Case(NEAREST3D, (), ((5, 7, 19), (2, 3, 3, 4, 8)), {"data_format": "NDHWC"})
    assert_is_loop(
        jax.vmap(as_function(case))(gradient), as_function(case), [(jnp.asarray(part),) for part in gradient]
    )


def test_four_dimensions() -> None:
    (image,) = on_jax(forward_case(POOL))
    function = as_function(forward_case(POOL))
    pooled, indices = jax.vmap(function)(image)
    assert_is_loop((pooled, indices), function, [(part,) for part in image])


def test_a_batch_of_none(engine: str) -> None:
    function, calls = three_calls(POOL)
    assert jax.vmap(function)(*(tensor[:0] for tensor in stacked(calls))).shape == (0, *calls[0][1].shape)


def loss(image: jax.Array, weight: jax.Array) -> jax.Array:
    """Everything at once: down and up again in two ways."""
    pooled, indices = twin.max_pool3d_with_argmax(image, 2, 2, 0, 1, False)
    restored = twin.max_unpool3d(jnp.tanh(pooled) * weight, indices, image.shape[-3:], (2, 2, 2), (0, 0, 0))
    enlarged = twin.upsample_nearest_exact3d(pooled, image.shape[-3:])
    return (restored * image).sum() + (enlarged**2 * weight).sum()


def test_jit_grad_and_vmap_together(engine: str) -> None:
    rng = np.random.default_rng(6)
    images = jnp.asarray(rng.standard_normal((3, 2, 2, 4, 6, 8)))
    weight = jnp.asarray(rng.standard_normal())
    gradient = jax.grad(loss, argnums=(0, 1))
    batched = jax.jit(jax.vmap(gradient, in_axes=(0, None)))(images, weight)
    for i, image in enumerate(images):
        for part, expected in zip(batched, gradient(image, weight), strict=True):
            np.testing.assert_allclose(part[i], expected, rtol=1e-12, atol=1e-12)


def test_gradient_of_a_batch_is_the_batch_of_gradients(engine: str) -> None:
    images = jnp.asarray(np.random.default_rng(6).standard_normal((3, 2, 2, 4, 6, 8)))
    weight = jnp.asarray(0.5)
    of_batch = jax.jit(jax.grad(lambda images: jax.vmap(loss, in_axes=(0, None))(images, weight).sum()))(images)
    batch_of = jax.vmap(jax.grad(loss), in_axes=(0, None))(images, weight)
    np.testing.assert_allclose(of_batch, batch_of, rtol=1e-12, atol=1e-12)
