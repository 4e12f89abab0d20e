"""Which device holds what: planes are independent of each other, so arrays may be cut along N and C."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
from jax.extend.mlir import ir
from jax.interpreters import mlir
from jax.sharding import NamedSharding, PartitionSpec

from acltwin.jax._static import Static

_JAX: Any = jax  # whose names differ between its versions


def type_of(x: Any) -> Any:
    """What JAX knows about a value while it traces."""
    return _JAX.typeof(x) if hasattr(jax, "typeof") else _JAX.core.get_aval(x)  # the latter up to JAX 0.5


# ---- inside shard_map: over which axes of the mesh a value varies ----


def _varying_axes(x: Any) -> frozenset[str]:
    """None in versions of JAX that do not track it."""
    known = type_of(x)
    kind = getattr(known, "manual_axis_type", None)  # as it is called since JAX 0.8
    axes: frozenset[str] = getattr(known, "vma", frozenset()) if kind is None else kind.varying
    return axes


def varying_together(operands: Sequence[Any]) -> list[Any]:
    """The operands, each marked as varying over all axes over which any of them does."""
    own = [_varying_axes(x) for x in operands]
    every = frozenset[str]().union(*own)
    return [_vary(x, tuple(sorted(every - axes))) for x, axes in zip(operands, own, strict=True)]


def _vary(x: Any, axes: tuple[str, ...]) -> Any:
    if not axes:
        return x
    if hasattr(jax.lax, "pcast"):
        return jax.lax.pcast(x, axes, to="varying")
    return _JAX.lax.pvary(x, axes)  # as it was called up to JAX 0.8


# ---- the type of a result ----


def result_types(static: Static, operands: Sequence[Any]) -> list[Any]:
    """Of abstract arrays: what JAX knows about the first one, with the shape and dtype of the result."""
    first, known = operands[0], _explicit_sharding(static, operands)
    return [
        first.update(
            shape=static.with_plane(first.shape, plane), dtype=jax.numpy.dtype(dtype), weak_type=False, **known
        )
        for dtype, plane in static.results
    ]


def _explicit_sharding(static: Static, operands: Sequence[Any]) -> dict[str, NamedSharding]:
    """Shardings that are part of types (meshes with axes of type Explicit) are ours to propagate, or to refuse."""
    shardings: list[Any] = [getattr(operand, "sharding", None) for operand in operands]
    specs = [() if sharding is None else tuple(sharding.spec) for sharding in shardings]
    if not any(part is not None for spec in specs for part in spec):
        return {}
    whole = [None for _ in static.spec.axes]
    if any(list(static.split(spec)[1]) != whole for spec in specs):
        raise ValueError(
            f"{static.operator}: the arrays are sharded as {' and '.join(map(str, specs))}, expected"
            f" {', '.join(static.spec.axes)} whole on every device; reshard them over N and C with jax.sharding.reshard"
        )
    if len(set(specs)) > 1:
        raise ValueError(
            f"{static.operator}: the arrays are sharded as {' and '.join(map(str, specs))}, expected the same N and C"
            " for all; reshard one of them with jax.sharding.reshard"
        )
    return {"sharding": NamedSharding(shardings[0].mesh, PartitionSpec(*specs[0]))}


# ---- how XLA cuts a call into one per device ----


def runs_on_many_devices(context: Any) -> bool:
    """Of a primitive's lowering: whether the program that it becomes part of is for several devices."""
    axes = context.module_context.axis_context
    if hasattr(axes, "num_devices"):  # under jit
        return bool(axes.num_devices > 1)
    if hasattr(axes, "mesh"):  # under shard_map
        return bool(axes.mesh.size > 1)
    return bool(axes.axis_env.nreps > 1)  # under pmap, up to JAX 0.7


_PARTITIONABLE = hasattr(jax.ffi, "register_ffi_target_as_batch_partitionable")


def make_partitionable(target: str) -> None:
    """Lets XLA cut calls of this target along their leading axes. Versions of JAX that cannot do so gather instead."""
    if _PARTITIONABLE:
        jax.ffi.register_ffi_target_as_batch_partitionable(target)


def partitioning(static: Static, shapes: Sequence[Any], result_shapes: Sequence[Any]) -> dict[str, ir.Attribute]:
    """Attributes of a call that let XLA cut it along its leading batch axes. A batch without a size yet is not cut."""
    if not _PARTITIONABLE or not all(isinstance(dim, int) for shape in (*shapes, *result_shapes) for dim in shape):
        return {}
    leading = len(static.split(shapes[0])[0])
    attributes = {"mhlo.frontend_attributes": mlir.ir_attribute({"num_batch_dims": str(leading)})}
    if _JAX.config.jax_use_shardy_partitioner:
        rule = _sharding_rule(static, shapes, result_shapes)
        attributes["sdy.sharding_rule"] = ir.Attribute.parse(f"#sdy.op_sharding_rule<{rule}, custom>")
    return attributes


def _sharding_rule(static: Static, shapes: Sequence[Any], result_shapes: Sequence[Any]) -> str:
    """In Shardy's notation: all tensors share their batch axes; every other axis is for itself.

    For a plane of one axis it would read ([i, j, k])->([i, j, l]) {i=2, j=3, k=4, l=8}.
    """
    before, _, behind = static.split(shapes[0])
    sizes = [*before, *behind]
    batch = [_symbol(i) for i in range(len(sizes))]

    def symbols(shape: Any) -> str:
        plane = static.split(shape)[1]
        own = [_symbol(len(sizes) + i) for i in range(len(plane))]
        sizes.extend(plane)
        return f"[{', '.join([*batch[: len(before)], *own, *batch[len(before) :]])}]"

    operands, results = ", ".join(map(symbols, shapes)), ", ".join(map(symbols, result_shapes))
    return f"({operands})->({results}) {{{', '.join(f'{_symbol(i)}={size}' for i, size in enumerate(sizes))}}}"


def _symbol(number: int) -> str:
    """Shardy counts i, j, ..., z, z_1, z_2, ..."""
    letters = "ijklmnopqrstuvwxyz"
    return letters[number] if number < len(letters) else f"z_{number - len(letters) + 1}"
