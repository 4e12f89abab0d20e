"""Programs on several devices: run by test_many_devices.py, in a process that has them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import acltwin.jax as twin
from acltwin.ops import PLANEWISE
from acltwin.ops import PLANEWISE as OPERATORS
from support import registry
from support.cases import NEAREST3D, POOL, UNPOOL, Window
from support.forward import any_case
from support.jax_calls import as_tuple, on_jax
from support.thorough import THOROUGH
from support.values import assert_same_bits

COLLECTIVES = ("all-gather", "all-to-all", "all-reduce", "collective-permute", "dynamic-slice")
SHARDINGS = [P("n"), P(None, "c"), P("n", "c")]
FLOAT64 = np.dtype(np.float64)


@pytest.fixture(params=[AxisType.Auto, AxisType.Explicit], ids=["auto", "explicit"])
def mesh(request: pytest.FixtureRequest) -> Mesh:
    return mesh_of(request.param)


def mesh_of(kind: AxisType) -> Mesh:
    """Two devices along N, the others along C."""
    return jax.make_mesh((2, jax.device_count() // 2), ("n", "c"), axis_types=(kind, kind))


def placed(mesh: Mesh, spec: P, *tensors: Any) -> list[jax.Array]:
    return [jax.device_put(tensor, NamedSharding(mesh, spec)) for tensor in tensors]


def widened(operator: str, dtype: np.dtype[Any] = FLOAT64) -> tuple[Callable[..., Any], list[jax.Array]]:
    """A call with 8 planes along N and 4 along C, as a function of its tensors."""
    case = any_case(operator, dtype)
    tensors = [jnp.tile(tensor, (4, 2, *[1] * (tensor.ndim - 2)))[:, :4] for tensor in on_jax(case)]
    arguments = [argument for argument in OPERATORS[operator].inputs if argument.kind != "tensor"]
    parameters = [
        (8, 4, *values[2:]) if argument.begins_with_batch else values
        for argument, values in zip(arguments, case.parameters, strict=False)
    ]
    return lambda *tensors: getattr(twin, operator)(*tensors, *parameters, **case.keywords), tensors


def compiled(function: Callable[..., Any], *tensors: Any) -> jax.stages.Compiled:
    return jax.jit(function).lower(*tensors).compile()


def collectives(program: jax.stages.Compiled) -> list[str]:
    text = str(program.as_text())
    return [word for word in COLLECTIVES if f" {word}(" in text or f" {word}-start(" in text]


def test_there_are_several_devices() -> None:
    assert jax.device_count() in (2, 4)


# ---- jit ----


# All shardings on both kinds of meshes for an operator with tensors of several shapes and for one with two results.
@pytest.mark.parametrize(
    ("operator", "spec", "mesh"),
    [
        *((operator, SHARDINGS[-1], AxisType.Auto) for operator in registry.representatives(PLANEWISE)),
        *(
            call
            for call in itertools.product(
                registry.representatives(PLANEWISE) if THOROUGH else (UNPOOL, "max_pool3d_with_argmax"),
                SHARDINGS,
                (AxisType.Auto, AxisType.Explicit),
            )
            if call[1:] != (SHARDINGS[-1], AxisType.Auto)
        ),
    ],
    ids=str,
    indirect=["mesh"],
)
def test_every_device_computes_its_own_planes(operator: str, spec: P, mesh: Mesh) -> None:
    function, tensors = widened(operator)
    expected = as_tuple(function(*tensors))
    sharded = placed(mesh, spec, *tensors)
    program = compiled(function, *sharded)
    assert collectives(program) == []
    for call in (program, function):
        results = call(*sharded)
        for result, bits in zip(results if isinstance(results, tuple) else [results], expected, strict=True):
            assert result.sharding.is_equivalent_to(NamedSharding(mesh, spec), result.ndim)
            assert_same_bits(np.asarray(result), bits, operator)


def test_sums_of_16_bit_floats_have_the_same_bits() -> None:
    function, tensors = widened(NEAREST3D, np.dtype(jnp.bfloat16))
    result = jax.jit(function)(*placed(mesh_of(AxisType.Auto), P("n", "c"), *tensors))
    assert_same_bits(np.asarray(result), np.asarray(function(*tensors)))


def network(x: jax.Array, data_format: str) -> jax.Array:
    """Everything: down, and up again in three ways."""
    size = x.shape[2:] if data_format == "NCDHW" else x.shape[1:-1]
    pooled, indices = twin.max_pool3d_with_argmax(x, 2, 2, data_format=data_format)  # type: ignore[arg-type]
    restored = twin.max_unpool3d(jnp.tanh(pooled), indices, size, data_format=data_format)  # type: ignore[arg-type]
    nearest = twin.upsample_nearest3d(pooled, size, data_format=data_format, rule="torch")  # type: ignore[arg-type]
    exact = twin.upsample_nearest_exact3d(pooled, size, data_format=data_format)  # type: ignore[arg-type]
    return restored * x + nearest**2 + exact


def first_order(x: jax.Array, data_format: str) -> jax.Array:
    return jax.grad(lambda x: (network(x, data_format) ** 2).sum())(x)


def second_order(x: jax.Array, data_format: str) -> jax.Array:
    return jax.grad(lambda x: (first_order(x, data_format) ** 2).sum())(x)


@pytest.mark.parametrize(
    ("function", "spec"), [(network, P("n", "c")), (first_order, P("n")), (second_order, P("n", "c"))], ids=str
)
def test_networks_and_their_gradients(function: Callable[..., Any], spec: P, mesh: Mesh) -> None:
    image = jnp.asarray(np.random.default_rng(1).standard_normal((8, 4, 4, 4, 4)))
    (sharded,) = placed(mesh, spec, image)
    program = compiled(lambda x: function(x, "NCDHW"), sharded)
    result = program(sharded)
    assert result.sharding.is_equivalent_to(NamedSharding(mesh, spec), 5)
    assert collectives(program) == []
    np.testing.assert_allclose(result, function(image, "NCDHW"), rtol=1e-11)


@pytest.mark.parametrize("function", [network, first_order])
@pytest.mark.parametrize(("spec", "gathers"), [(P("n"), False), (P(None, None, None, None, "c"), True)], ids=str)
def test_channels_last(function: Callable[..., Any], spec: P, gathers: bool, mesh: Mesh) -> None:
    """Calls on N, D, H, W, C are cut along N. Cut along C they are gathered for the call, and cut again."""
    image = jnp.asarray(np.random.default_rng(1).standard_normal((8, 4, 4, 4, 4)))
    (sharded,) = placed(mesh, spec, image)
    program = compiled(lambda x: function(x, "NDHWC"), sharded)
    result = program(sharded)
    assert result.sharding.is_equivalent_to(NamedSharding(mesh, spec), 5)
    assert bool(collectives(program)) == (gathers and mesh.shape["c"] > 1)
    np.testing.assert_allclose(result, function(image, "NDHWC"), rtol=1e-11)


def test_as_jax_image_resize() -> None:
    mesh = mesh_of(AxisType.Auto)
    image = jnp.asarray(np.random.default_rng(1).standard_normal((8, 4, 2, 3, 5)))
    (sharded,) = placed(mesh, P("n", "c"), image)

    def resized(x: jax.Array) -> jax.Array:
        return jax.image.resize(x, (8, 4, 4, 9, 10), "nearest")

    ours, theirs = (
        jax.jit(jax.value_and_grad(lambda x, upsample=upsample: (upsample(x) ** 2).sum()))(sharded)
        for upsample in (lambda x: twin.upsample_nearest_exact3d(x, (4, 9, 10)), resized)
    )
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-12)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-12)
    assert ours[1].sharding.is_equivalent_to(sharded.sharding, 5)


def test_as_reduce_window() -> None:
    mesh, window = mesh_of(AxisType.Auto), Window((2, 3, 3), (2, 2, 1), (1, 0, 1))
    image = jnp.asarray(np.random.default_rng(1).standard_normal((8, 4, 5, 6, 7)))
    (sharded,) = placed(mesh, P("n", "c"), image)
    padding = ((0, 0), (0, 0), *((p, p) for p in window.padding))

    def reduced(x: jax.Array) -> jax.Array:
        shape, steps = (1, 1, *window.kernel), (1, 1, *window.stride)
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, shape, steps, padding)

    ours, theirs = (
        jax.jit(jax.value_and_grad(lambda x, pool=pool: (pool(x) ** 3).sum()))(sharded)
        for pool in (lambda x: twin.max_pool3d_with_argmax(x, *window.parameters)[0], reduced)
    )
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-12)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-12, atol=1e-12)


def test_a_mapped_axis_may_be_the_sharded_one() -> None:
    mesh = mesh_of(AxisType.Auto)
    images = jnp.asarray(np.random.default_rng(1).standard_normal((8, 3, 4, 4, 4, 4)))
    (sharded,) = placed(mesh, P(("n", "c")), images)
    mapped = jax.vmap(lambda x: first_order(x, "NCDHW"))
    program = compiled(mapped, sharded)
    assert collectives(program) == []
    np.testing.assert_allclose(program(sharded), mapped(images), rtol=1e-11)


def test_an_array_that_is_cut_across_its_planes_is_gathered() -> None:
    image = jnp.asarray(np.random.default_rng(1).standard_normal((2, 4, 4, 4, 4)))
    (sharded,) = placed(mesh_of(AxisType.Auto), P(None, "n", "c"), image)
    np.testing.assert_allclose(jax.jit(first_order, static_argnums=1)(sharded, "NCDHW"), first_order(image, "NCDHW"))


def test_a_batch_that_does_not_divide_evenly() -> None:
    """XLA fills up the last device's part. What an index says there counts for nothing, not even as an error."""
    values = jnp.asarray(np.random.default_rng(1).standard_normal((8, 4, 2, 2, 2)))
    indices = jnp.tile(jnp.arange(8).reshape(2, 2, 2), (8, 4, 1, 1, 1)) + 1

    def uneven(values: jax.Array, indices: jax.Array) -> jax.Array:
        longer, places = (jnp.concatenate([x, x[:3]]) for x in (values, indices))
        return twin.max_unpool3d(longer, places - 1, (4, 4, 4))

    sharded = placed(mesh_of(AxisType.Auto), P(("n", "c")), values, indices)
    assert_same_bits(np.asarray(jax.jit(uneven)(*sharded)), np.asarray(uneven(values, indices)))


# ---- wrong indices ----


def assert_wrong_planes_are_marked(operator: str, dtype: Any, mark: float) -> None:
    """An error on one device would leave the others waiting, and XLA would end the process."""
    function, tensors = widened(operator)
    *others, indices = tensors
    others = [tensor.astype(dtype) for tensor in others]
    expected = np.array(function(*others, indices))
    expected[5, 2] = expected[0, 3] = mark
    wrong = indices.at[5, 2, 0, 0, 1].set(100_000).at[0, 3, 0, 0, 0].set(-1)

    def program_with_a_collective(*tensors: jax.Array) -> tuple[jax.Array, jax.Array]:
        result = function(*tensors)
        return result, result.sum()

    sharded = placed(mesh_of(AxisType.Auto), P("n"), *others, wrong)
    result, _ = jax.jit(program_with_a_collective)(*sharded)
    np.testing.assert_array_equal(np.asarray(result).astype(np.float64), expected.astype(np.float64))


@pytest.mark.parametrize("operator", ["max_unpool3d", UNPOOL, POOL])
def test_a_plane_with_a_wrong_index_is_marked(operator: str, engine: str) -> None:
    assert_wrong_planes_are_marked(operator, np.float32, np.nan)


@pytest.mark.parametrize(
    ("dtype", "mark"),
    [(np.float64, np.nan), (np.float16, np.nan), (jnp.bfloat16, np.nan)]
    + [(dtype, np.iinfo(dtype).min) for dtype in (np.int8, np.int16, np.int32, np.int64)]
    + [(np.uint8, 255)],
)
def test_the_mark_of_every_dtype(dtype: Any, mark: float) -> None:
    assert_wrong_planes_are_marked("max_unpool3d", dtype, mark)


# ---- shardings as types ----


def test_types_have_the_sharding() -> None:
    (sharded,) = placed(mesh_of(AxisType.Explicit), P("n", "c"), np.zeros((8, 4, 2, 2, 2), np.float32))
    types = jax.eval_shape(lambda x: twin.max_pool3d_with_argmax(x, 2), sharded)
    assert [tuple(part.sharding.spec) for part in types] == [("n", "c", None, None, None)] * 2


def test_types_that_are_cut_across_planes_are_refused() -> None:
    (sharded,) = placed(mesh_of(AxisType.Explicit), P(None, None, "c"), np.zeros((8, 4, 2, 2, 2), np.float32))
    with pytest.raises(
        ValueError, match=r"upsample_nearest3d: .*'c'.* expected D, H, W whole .*jax\.sharding\.reshard"
    ):
        jax.jit(lambda x: twin.upsample_nearest3d(x, (4, 4, 4)))(sharded)


def test_types_that_differ_are_refused() -> None:
    mesh = mesh_of(AxisType.Explicit)
    (values,) = placed(mesh, P("n"), np.zeros((8, 4, 2, 2, 2), np.float32))
    (indices,) = placed(mesh, P(None, "c"), np.zeros((8, 4, 2, 2, 2), np.int32))
    with pytest.raises(ValueError, match=r"max_unpool3d: .* expected the same N and C for all; reshard one"):
        jax.jit(lambda x, i: twin.max_unpool3d(x, i, (4, 4, 4)))(values, indices)


# ---- shard_map ----


def test_a_sum_over_a_part_is_no_sum_over_the_whole(engine: str) -> None:
    """JAX refuses it, as it does for its own functions, because it knows that the value varies."""
    mesh = mesh_of(AxisType.Auto)
    image = jnp.asarray(np.random.default_rng(1).standard_normal((8, 4, 2, 2, 2)))

    def summed(total: Callable[[jax.Array], jax.Array]) -> jax.Array:
        part = jax.shard_map(
            lambda x: total(twin.upsample_nearest_exact3d(x, (4, 4, 4))), mesh=mesh, in_specs=P("n"), out_specs=P()
        )
        return part(image)

    with pytest.raises(ValueError, match="out_specs"):
        summed(jnp.sum)
    expected = jax.image.resize(image, (8, 4, 4, 4, 4), "nearest").sum()
    np.testing.assert_allclose(summed(lambda x: jax.lax.psum(x.sum(), "n")), expected, rtol=1e-12)


# Each engine with one order of axes: programs of both engines are lowered alike in either.
ENGINES = pytest.mark.parametrize(
    ("engine", "data_format"), [("xla_ffi", "NCDHW"), ("pure_callback", "NDHWC")], indirect=["engine"]
)


@ENGINES
@pytest.mark.parametrize("function", [network, first_order])
def test_networks_and_gradients_in_shard_map(function: Callable[..., Any], data_format: str, engine: str) -> None:
    spec = P("n", "c") if data_format == "NCDHW" else P("n", None, None, None, "c")
    mesh = mesh_of(AxisType.Auto)
    image = jnp.asarray(np.random.default_rng(1).standard_normal((8, 4, 4, 4, 4)))
    mapped = jax.shard_map(lambda x: function(x, data_format), mesh=mesh, in_specs=spec, out_specs=spec)
    np.testing.assert_allclose(jax.jit(mapped)(image), function(image, data_format), rtol=1e-11)


@ENGINES
def test_gradients_through_shard_map(data_format: str, engine: str) -> None:
    mesh = mesh_of(AxisType.Auto)
    image = jnp.asarray(np.random.default_rng(1).standard_normal((8, 4, 4, 4, 4)))

    def loss(x: jax.Array) -> jax.Array:
        def part(x: jax.Array) -> jax.Array:
            return jax.lax.psum((network(x, data_format) ** 2).sum(), "n")

        return jax.shard_map(part, mesh=mesh, in_specs=P("n"), out_specs=P())(x)

    for transform in (jax.grad, lambda f: jax.jit(jax.grad(f))):
        np.testing.assert_allclose(transform(loss)(image), first_order(image, data_format), rtol=1e-11)


def test_a_tensor_that_all_parts_share() -> None:
    """Values are the same on all devices, indices are not: the gradient adds what comes back from all of them."""
    mesh, rng = mesh_of(AxisType.Auto), np.random.default_rng(1)
    devices = mesh.shape["n"]
    values = jnp.asarray(rng.standard_normal((2, 4, 2, 2, 2)))
    indices = jnp.asarray(rng.permuted(np.tile(np.arange(64), (2 * devices, 4, 1)), axis=-1)[..., :8])
    indices = indices.reshape(2 * devices, 4, 2, 2, 2)

    def parts(values: jax.Array, indices: jax.Array) -> jax.Array:
        unpool = jax.shard_map(
            lambda x, i: twin.max_unpool3d(x, i, (4, 4, 4)), mesh=mesh, in_specs=(P(), P("n")), out_specs=P("n")
        )
        return unpool(values, indices)

    def whole(values: jax.Array, indices: jax.Array) -> jax.Array:
        return twin.max_unpool3d(jnp.tile(values, (devices, 1, 1, 1, 1)), indices, (4, 4, 4))

    assert_same_bits(np.asarray(parts(values, indices)), np.asarray(whole(values, indices)))
    ours, expected = (jax.grad(lambda x, f=f: (f(x, indices) ** 3).sum())(values) for f in (parts, whole))
    np.testing.assert_allclose(ours, expected, rtol=1e-12)
