"""Derivatives: against JAX's own of an equivalent formulation, against differences, and of higher order."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin.ops import PLANEWISE
from acltwin.ops import PLANEWISE as SPECS
from support import registry
from support.cases import EXACT3D, NEAREST3D, POOL, UNPOOL, UPSAMPLE, Window, small_case
from support.forward import any_case
from support.jax_calls import EVERY, FORWARD, as_function, assert_derivatives, forward_case, on_jax
from support.lazy import acltwin_jax as twin
from support.lazy import jax, jax_test_util, jnp
from support.registry import PLANEWISE_GRADIENTS as OPERATORS

FLOAT64 = np.dtype(np.float64)


def first_result(function: Callable[..., Any]) -> Callable[..., jax.Array]:
    def first(*tensors: Any) -> jax.Array:
        result = function(*tensors)
        return result[0] if isinstance(result, tuple) else result

    return first


def of_first_tensor(operator: str, rule: str = "torch") -> tuple[Callable[[jax.Array], jax.Array], jax.Array]:
    """The operator in float64 as a function of its first tensor. The torch rule makes both directions one map."""
    case = any_case(operator, FLOAT64)
    if SPECS[operator].has_map_rule:
        case.keywords["rule"] = rule
    first, *others = on_jax(case)
    function = first_result(as_function(case))
    return lambda x: function(x, *others), first


@pytest.mark.parametrize("operator", registry.representatives(PLANEWISE))
def test_against_differences(operator: str) -> None:
    function, x = of_first_tensor(operator)
    assert_derivatives(lambda x: jnp.sin(function(jnp.sin(x))), x)


def test_third_order() -> None:
    function, x = of_first_tensor(NEAREST3D)
    jax_test_util.check_grads(lambda x: jnp.sin(function(jnp.sin(x))), (x,), order=3, modes=("rev",), eps=1e-5)


# ---- JAX's own formulations ----


RESIZED: tuple[tuple[str, str, bool], ...] = (
    ("upsample_nearest_exact3d", "nearest", False),  # JAX's nearest is the one by cell centres
    ("upsample_nearest_exact2d", "nearest", False),
    ("upsample_linear1d", "linear", False),
    ("upsample_bilinear2d_aa", "linear", True),
    ("upsample_trilinear3d", "linear", False),
    ("upsample_bicubic2d_aa", "cubic", True),  # the other bicubic operator has other weights
)


@pytest.mark.parametrize(("operator", "method", "antialias"), RESIZED)
@pytest.mark.parametrize("size", [(4, 9, 10), (3, 2, 2)])
def test_upsampling_as_jax_image_resize(
    operator: str, method: str, antialias: bool, size: tuple[int, ...], engine: str
) -> None:
    axes, rng = len(SPECS[operator].axes), np.random.default_rng(1)
    size = size[-axes:]
    image = jnp.asarray(rng.standard_normal((2, 3, *(2, 3, 5)[-axes:])))
    weights = jnp.asarray(rng.standard_normal((2, 3, *size)))

    def resized(x: jax.Array, size: tuple[int, ...]) -> jax.Array:
        return jax.image.resize(x, (*x.shape[:2], *size), method, antialias=antialias)

    ours, theirs = (
        jax.jit(jax.value_and_grad(lambda x, upsample=upsample: (weights * upsample(x, size) ** 2).sum()))(image)
        for upsample in (functools.partial(getattr(twin, operator), rule="torch"), resized)  # weights in float64
    )
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-12)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("operator", ["avg_pool2d", "avg_pool3d"])
@pytest.mark.parametrize("padded", [True, False])
def test_averages_as_reduce_window(operator: str, padded: bool, engine: str) -> None:
    axes, rng = len(SPECS[operator].axes), np.random.default_rng(2)
    kernel, stride, padding = (2, 3, 2)[-axes:], (1, 2, 3)[-axes:], (1, 0, 1)[-axes:]
    image = jnp.asarray(rng.standard_normal((2, 3, *(4, 5, 6)[-axes:])))

    def sums(x: jax.Array) -> jax.Array:
        edges = ((0, 0), (0, 0), *((p, p) for p in padding))
        return jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 1, *kernel), (1, 1, *stride), edges)

    def theirs(x: jax.Array) -> jax.Array:
        return sums(x) / (np.prod(kernel) if padded else sums(jnp.ones_like(x)))

    def ours(x: jax.Array) -> jax.Array:
        return getattr(twin, operator)(x, kernel, stride, padding, count_include_pad=padded)

    found, expected = (jax.jit(jax.value_and_grad(lambda x, f=f: (f(x) ** 3).sum()))(image) for f in (ours, theirs))
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-12)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-12, atol=1e-12)


def pooled(image: jax.Array, window: Window) -> jax.Array:
    padding = ((0, 0), (0, 0), *((p, p) for p in window.padding))
    return jax.lax.reduce_window(image, -jnp.inf, jax.lax.max, (1, 1, *window.kernel), (1, 1, *window.stride), padding)


@pytest.mark.parametrize(
    "window",
    [
        Window((2, 2, 2), (2, 2, 2)),
        Window((2, 3, 3), (2, 2, 1), (1, 0, 1)),
        Window((2, 2, 2), (1, 1, 1), (1, 1, 1)),  # more windows than cells
    ],
)
def test_pooling_as_reduce_window(window: Window, engine: str) -> None:
    rng = np.random.default_rng(1)
    image = jnp.asarray(rng.standard_normal((2, 3, 5, 6, 7)))

    def ours(x: jax.Array) -> jax.Array:
        return (twin.max_pool3d_with_argmax(x, *window.parameters)[0] ** 3).sum()

    def theirs(x: jax.Array) -> jax.Array:
        return (pooled(x, window) ** 3).sum()

    np.testing.assert_allclose(ours(image), theirs(image), rtol=1e-12)
    np.testing.assert_allclose(jax.jit(jax.grad(ours))(image), jax.grad(theirs)(image), rtol=1e-12)
    direction = jnp.asarray(rng.standard_normal(image.shape))
    second, expected = (
        jax.jit(jax.jvp, static_argnums=0)(jax.grad(function), (image,), (direction,))[1] for function in (ours, theirs)
    )
    np.testing.assert_allclose(second, expected, rtol=1e-12, atol=1e-12)


def test_unpooling_as_indexing(engine: str) -> None:
    case = forward_case(UNPOOL, FLOAT64)
    values, indices = on_jax(case)
    weights = jnp.asarray(np.random.default_rng(1).standard_normal((2, 3, 4, 6, 9)))

    def by_indexing(x: jax.Array, indices: jax.Array) -> jax.Array:
        planes = jnp.zeros((6, 4 * 6 * 9)).at[jnp.arange(6)[:, None], indices.reshape(6, -1)].set(x.reshape(6, -1))
        return planes.reshape(2, 3, 4, 6, 9)

    ours, theirs = (
        jax.value_and_grad(lambda x, unpool=unpool: (weights * unpool(x, indices) ** 2).sum())(values)
        for unpool in (as_function(case), by_indexing)
    )
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-12)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-12)


def test_gathering_the_same_cell_twice_adds_its_gradients(engine: str) -> None:
    planes = jnp.arange(8.0).reshape(1, 1, 2, 2, 2)
    indices = jnp.array([6, 6, 1]).reshape(1, 1, 1, 1, 3)
    like = jax.ShapeDtypeStruct(indices.shape, planes.dtype)
    weights = jnp.array([10.0, 5.0, 1.0])

    def gathered(planes: jax.Array) -> jax.Array:
        return twin.max_unpool3d_backward(planes, like, indices, (2, 2, 2), (1, 1, 1), (0, 0, 0)).ravel() @ weights

    assert jax.grad(gathered)(planes).ravel().tolist() == [0, 1, 0, 0, 0, 0, 15, 0]


def test_an_index_outside_gives_nan_where_there_are_more_windows_than_cells() -> None:
    indices = jnp.zeros((1, 1, 3, 3, 3), jnp.int32).at[0, 0, 1, 2, 0].set(8)
    like = jax.ShapeDtypeStruct((1, 1, 2, 2, 2), jnp.float32)

    def scattered(grad: jax.Array) -> jax.Array:
        return twin.max_pool3d_with_argmax_backward(grad, like, indices, 2, 1, 1, 1, False)

    transposed = jax.linear_transpose(scattered, jax.ShapeDtypeStruct(indices.shape, jnp.float32))
    (gathered,) = transposed(jnp.ones(like.shape, jnp.float32))
    assert np.array_equal(np.isnan(gathered), np.asarray(indices) == 8)


# ---- which operator computes a gradient ----


def primitives_of(function: Callable[..., Any], *arguments: Any) -> set[str]:
    return {equation.primitive.name for equation in jax.make_jaxpr(function)(*arguments).eqns} & set(EVERY)


@pytest.mark.parametrize("gradient", OPERATORS)
def test_the_gradient_of_an_operator_is_its_backward_operator(gradient: str) -> None:
    function, x = of_first_tensor(FORWARD[gradient])
    transposed = jax.vjp(function, x)[1]
    spec = SPECS[gradient]
    # What gathers at indices is transposed to what adds there: one gradient of pooling serves windows of any kind.
    adding = {name for name, other in SPECS.items() if (other.family, other.axes) == ("pool", spec.axes)}
    expected = adding & set(OPERATORS) if spec.family == "adaptive_pool" else {gradient}
    assert primitives_of(transposed, function(x)) == expected


@pytest.mark.parametrize("gradient", UPSAMPLE)
def test_the_gradient_of_a_backward_operator_is_the_operator(gradient: str) -> None:
    function, x = of_first_tensor(gradient)
    transposed = jax.vjp(function, x)[1]
    assert primitives_of(transposed, function(x)) == {FORWARD[gradient]}


@pytest.mark.parametrize("gradient", [NEAREST3D, EXACT3D])
@pytest.mark.parametrize("data_format", ["NCDHW", "NDHWC"])
def test_gradient_is_the_adjoint_in_both_formats(gradient: str, data_format: str) -> None:
    rng = np.random.default_rng(4)
    shape, size = (2, 3, 4, 5, 6), (7, 9, 11)
    outer = (2, 3, *size) if data_format == "NCDHW" else (2, *size, 6)
    image, weights = jnp.asarray(rng.standard_normal(shape)), jnp.asarray(rng.standard_normal(outer))

    def upsampled(x: jax.Array) -> jax.Array:
        return getattr(twin, FORWARD[gradient])(x, size, data_format=data_format, rule="torch")

    transposed = jax.vjp(upsampled, image)[1](weights)[0]
    np.testing.assert_allclose((transposed * image).sum(), (upsampled(image) * weights).sum(), rtol=1e-12)


@pytest.mark.parametrize(("operator", "inner", "outer"), [("nearest3d", 26, 14), ("nearest_exact3d", 2, 41)])
@pytest.mark.parametrize("rule", ["device", "torch"])
def test_the_gradient_follows_the_rule_of_the_forward_pass(operator: str, inner: int, outer: int, rule: str) -> None:
    """Sizes for which the two rules differ."""
    image, weights = np.zeros((1, 1, 1, 1, inner)), np.arange(1.0, outer + 1).reshape(1, 1, 1, 1, outer)
    upsample, size = getattr(twin, f"upsample_{operator}"), (1, 1, outer)
    (gradient,) = jax.vjp(lambda x: upsample(x, size, rule=rule), jnp.asarray(image))[1](jnp.asarray(weights))
    backward = getattr(acltwin, f"upsample_{operator}_backward")
    assert np.array_equal(gradient, backward(weights, size, image.shape, rule=rule))
    assert not np.array_equal(*(backward(weights, size, image.shape, rule=other) for other in ("device", "torch")))


def test_gradient_of_channels_last_in_two_dimensions() -> None:
    image = jnp.asarray(np.random.default_rng(4).standard_normal((2, 4, 5, 3)))
    jax_test_util.check_grads(
        lambda x: twin.upsample_nearest_exact2d(x, (8, 15), data_format="NHWC") ** 2, (image,), order=2, modes=("rev",)
    )


# ---- what no gradient is asked of ----


def test_integers_pass_through_a_differentiated_function() -> None:
    case = forward_case(UNPOOL, np.dtype(np.int32))
    values, indices = on_jax(case)
    gradient = jax.grad(lambda x: x * as_function(case)(values, indices).sum())(2.0)
    assert gradient == case.run().sum()


def test_input_of_a_gradient_gets_none() -> None:
    grad_output, image, indices = on_jax(small_case(POOL))
    assert not jax.grad(lambda x: as_function(small_case(POOL))(grad_output, x, indices).sum())(image).any()


def test_a_training_step_keeps_the_indices_and_not_the_image() -> None:
    (image,) = on_jax(forward_case(POOL))
    _, pull_back = jax.vjp(first_result(as_function(forward_case(POOL))), image)
    kept = [leaf for leaf in jax.tree.leaves(pull_back) if hasattr(leaf, "shape") and leaf.shape == image.shape]
    assert not kept
