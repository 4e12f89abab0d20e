"""One JAX primitive per operator: native execution, vmap by folding into N."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import batching, mlir, xla

from acltwin.jax._callback import call_back
from acltwin.jax._engine import TARGET, engine
from acltwin.jax._sharding import partitioning, result_types, runs_on_many_devices, varying_together
from acltwin.jax._static import Static
from acltwin.ops import PLANEWISE


def bind(static: Static, operands: Sequence[Any]) -> list[Any]:
    """Calls an operator on arrays that are known to fit."""
    results: list[Any] = PRIMITIVES[static.operator].bind(*varying_together(operands), static=static)
    return results


# ---- what JAX asks of a primitive ----


def _abstract(*operands: Any, static: Static) -> list[Any]:
    return result_types(static, operands)


def _lower(context: Any, *operands: Any, static: Static) -> Any:
    shapes, result_shapes = ([aval.shape for aval in avals] for avals in (context.avals_in, context.avals_out))
    many_devices = runs_on_many_devices(context)
    if engine().name == "pure_callback":
        if not all(isinstance(dim, int) for shape in shapes for dim in shape):
            raise ValueError(
                f"{static.operator}: the shapes are {', '.join(map(str, shapes))}, but callbacks need sizes that are"
                " numbers; export with the engine xla_ffi, or without symbolic sizes"
            )
        return mlir.lower_fun(functools.partial(call_back, static, result_shapes, many_devices))(context, *operands)
    lowering = jax.ffi.ffi_lowering(TARGET, extra_attributes=partitioning(static, shapes, result_shapes))
    return lowering(context, *operands, **static.attributes, many_devices=many_devices)


def _batch(operands: Sequence[Any], dims: Sequence[int | None], *, static: Static) -> Any:
    """Planes are independent of each other, so a batch is a longer first axis."""
    size = next(x.shape[dim] for x, dim in zip(operands, dims, strict=True) if dim is not None)
    batched = [
        jnp.broadcast_to(x, (size, *x.shape)) if dim is None else jnp.moveaxis(x, dim, 0)
        for x, dim in zip(operands, dims, strict=True)
    ]
    first_axis = batched[0].shape[1]
    results = bind(static, [x.reshape(size * first_axis, *x.shape[2:]) for x in batched])
    return [x.reshape(size, first_axis, *x.shape[1:]) for x in results], [0] * len(results)


def _new_primitive(operator: str) -> Primitive:
    primitive = Primitive(operator)
    primitive.multiple_results = True
    primitive.def_impl(functools.partial(xla.apply_primitive, primitive))
    primitive.def_abstract_eval(_abstract)
    mlir.register_lowering(primitive, _lower, platform="cpu")
    batching.primitive_batchers[primitive] = _batch
    return primitive


PRIMITIVES = {operator: _new_primitive(operator) for operator in PLANEWISE}
