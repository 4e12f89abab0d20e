"""Inside XLA's machinery: its threads, donated and shared memory, loops, control flow."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import acltwin
from support.cases import NEAREST3D, POOL, Case
from support.forward import any_case
from support.jax_calls import as_function, as_tuple, forward_case, on_jax
from support.lazy import acltwin_jax as twin
from support.lazy import jax, jnp
from support.registry import PLANEWISE_GRADIENTS as OPERATORS
from support.values import assert_same_bits


def large(seed: int = 0) -> Case:
    """Enough work for several threads."""
    rng = np.random.default_rng(seed)
    gradient = rng.standard_normal((4, 16, 16, 32, 32)).astype(np.float32)
    return Case(NEAREST3D, (gradient,), ((16, 32, 32), (4, 16, 8, 16, 16)))


def test_large_arrays_on_several_threads_of_ours_inside_theirs(engine: str) -> None:
    acltwin.set_num_threads(4)
    case = large()
    assert_same_bits(np.asarray(jax.jit(as_function(case))(*on_jax(case))), case.run())


def test_many_programs_at_once() -> None:
    cases = [large(seed) for seed in range(4)]
    expected = [case.run() for case in cases]
    compiled = jax.jit(as_function(cases[0]))

    def repeat(number: int) -> None:
        for _ in range(5):
            assert_same_bits(np.asarray(compiled(*on_jax(cases[number]))), expected[number])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(repeat, range(4)))


def test_independent_calls_in_one_program() -> None:
    case = large()
    function, (gradient,) = as_function(case), on_jax(case)
    results = jax.jit(lambda x: [function(x * factor) for factor in (1, 2, 4, 8)])(gradient)
    for factor, result in zip((1, 2, 4, 8), results, strict=True):
        assert_same_bits(np.asarray(result), case.run() * np.float32(factor))


@pytest.mark.filterwarnings("ignore:Some donated buffers were not usable")
@pytest.mark.parametrize("operator", [*OPERATORS, "upsample_nearest3d", "max_unpool3d"])
def test_donated_memory(operator: str) -> None:
    case = any_case(operator)
    donating = jax.jit(as_function(case), donate_argnums=tuple(range(len(case.tensors))))
    for actual, expected in zip(as_tuple(donating(*on_jax(case))), as_tuple(case.run()), strict=True):
        assert_same_bits(actual, expected)


@pytest.mark.filterwarnings("ignore:Some donated buffers were not usable")
def test_results_of_the_size_of_an_argument_that_is_given_away() -> None:
    """The same shape in and out: XLA may reuse the memory, but only after the call."""
    values = jnp.arange(24.0, dtype=jnp.float32).reshape(1, 1, 2, 3, 4)
    indices = jnp.arange(24)[::-1].reshape(values.shape)

    def turned_twice(x: jax.Array) -> jax.Array:
        for _ in range(2):
            x = twin.max_unpool3d(x, indices, (2, 3, 4), (1, 1, 1), (0, 0, 0)) + 1
        return x

    expected = np.arange(24, dtype=np.float32).reshape(values.shape) + 2
    assert_same_bits(np.asarray(jax.jit(turned_twice, donate_argnums=0)(values)), expected)


def test_slices_need_no_alignment() -> None:
    flat = jnp.arange(1 + 2 * 3 * 4, dtype=jnp.float32)
    size = (1, 1, 2, 3, 4)
    result = jax.jit(lambda x: twin.upsample_nearest3d(x[1:].reshape(size), (4, 6, 8)))(flat)
    expected = acltwin.upsample_nearest3d(np.asarray(flat)[1:].reshape(size), (4, 6, 8))
    assert_same_bits(np.asarray(result), expected)


def test_transposed_operands_are_made_contiguous() -> None:
    (image,) = on_jax(forward_case(POOL))
    function = as_function(forward_case(POOL))
    turned = jax.jit(lambda x: function(x.transpose(0, 1, 4, 2, 3)))(image)
    expected = function(jnp.array(np.ascontiguousarray(np.asarray(image).transpose(0, 1, 4, 2, 3))))
    for actual, part in zip(as_tuple(turned), as_tuple(expected), strict=True):
        assert_same_bits(actual, part)


def test_loops_and_branches(engine: str) -> None:
    def step(x: jax.Array, _: None) -> tuple[jax.Array, jax.Array]:
        pooled, indices = twin.max_pool3d_with_argmax(x, 2, 2, 0, 1, False)
        grown = twin.upsample_nearest3d(pooled, x.shape[2:])
        return jax.lax.cond(grown.sum() > 0, lambda x: x * 0.5, lambda x: x, grown), indices

    image = jnp.asarray(np.random.default_rng(1).standard_normal((1, 2, 4, 4, 4)))
    scanned, indices = jax.jit(lambda x: jax.lax.scan(step, x, None, length=3))(image)
    looped = image
    for _ in range(3):
        looped, last = step(looped, None)
    assert_same_bits(np.asarray(scanned), np.asarray(looped))
    assert_same_bits(np.asarray(indices[-1]), np.asarray(last))


def test_checkpointed() -> None:
    image = jnp.asarray(np.random.default_rng(1).standard_normal((1, 2, 4, 4, 4)))

    def loss(x: jax.Array) -> jax.Array:
        return (twin.max_pool3d_with_argmax(jnp.sin(x), 2, 2, 0, 1, False)[0] ** 2).sum()

    assert_same_bits(np.asarray(jax.grad(jax.checkpoint(loss))(image)), np.asarray(jax.grad(loss)(image)))
