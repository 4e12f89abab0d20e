"""The derivatives of the operators, each by another operator.

All but max pooling are linear in their first tensor: the tangent goes through the operator itself, the cotangent
through its counterpart. JAX builds every order of derivative, forward and reverse, from these two rules.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.interpreters import ad

from acltwin.jax._primitives import PRIMITIVES, bind
from acltwin.jax._sharding import type_of
from acltwin.jax._static import Shape, Static
from acltwin.ops import PLANEWISE, OpSpec
from acltwin.ops.spec import Argument, Family

Transpose = Callable[[Static, jax.Array, Any, Sequence[Any]], jax.Array]
"""From the call, its cotangent, the type of its first tensor and its indices to the first tensor's cotangent."""

# ---- by the operator's partner ----


def _by_partner(static: Static, cotangent: jax.Array, x: Any, indices: Sequence[Any]) -> jax.Array:
    partner, plane = PLANEWISE[static.spec.partner], static.split(x.shape)[1]
    others = [argument for argument in partner.parameters if argument.kind != "tensor" or argument.holds == "shape"]
    common = {argument.name: argument.common_name for argument in static.spec.parameters}
    own = {common[name]: value for name, value in static.arguments}

    def value(argument: Argument) -> Any:
        if argument.holds == "shape" or argument.begins_with_batch:
            return plane
        if argument.name == "outputSize" and not partner.is_gradient:
            return plane
        return own[argument.common_name]

    arguments = tuple((argument.name, value(argument)) for argument in others)
    transposed = Static(partner.name, arguments, ((str(x.dtype), plane),), static.rule, static.channels_last)
    (gradient,) = bind(transposed, [cotangent, *indices])
    return gradient  # type: ignore[no-any-return]


# ---- by gathering and adding at indices ----


def _gradient_of(family: Family, axes: str) -> str:
    return next(
        spec.name for spec in PLANEWISE.values() if spec.family == family and spec.is_gradient and spec.axes == axes
    )


def _gather(static: Static, planes: jax.Array, indices: jax.Array) -> jax.Array:
    """Each plane's elements at its indices, on the flattened D*H*W axis: the gradient of unpooling."""
    before, size, behind = static.split(planes.shape)
    cells = static.split(indices.shape)[1]
    if math.prod(cells) > math.prod(size):
        # More windows than cells: unpooling knows no such thing. NaN marks an index outside its plane.
        flat_planes, flat_indices = (x.reshape(*before, -1, *behind) for x in (planes, indices))
        flat = jnp.take_along_axis(flat_planes, flat_indices, axis=len(before), mode="fill")
        return flat.reshape(indices.shape)
    arguments = (("self", cells), ("outputSize", size), ("stride", (1,)), ("padding", (0,)))
    results = ((str(planes.dtype), cells),)
    operator = _gradient_of("unpool", static.spec.axes)
    return bind(Static(operator, arguments, results, channels_last=static.channels_last), [planes, indices])[0]  # type: ignore[no-any-return]


def _scatter_add(static: Static, values: jax.Array, indices: jax.Array, plane: Shape) -> jax.Array:
    """Zeros, with every value added at its index: the gradient of pooling, for windows that fit the sizes."""
    cells, size = static.split(values.shape)[1], plane
    if any(cell > length for cell, length in zip(cells, size, strict=True)):
        ones = (1,) * (len(size) - 1)
        cells, size = (*ones, math.prod(cells)), (*ones, math.prod(size))
    stride = tuple(length // cell for cell, length in zip(cells, size, strict=True))
    kernel = tuple(length - (cell - 1) * step for cell, length, step in zip(cells, size, stride, strict=True))
    arguments = (
        ("self", size),
        ("kernelSize", kernel),
        ("stride", stride),
        ("padding", (0,)),
        ("dilation", (1,)),
        ("ceilMode", False),
    )
    operator = _gradient_of("pool", static.spec.axes)
    adding = Static(operator, arguments, ((str(values.dtype), size),), channels_last=static.channels_last)
    (sums,) = bind(adding, [x.reshape(static.with_plane(x.shape, cells)) for x in (values, indices)])
    return sums.reshape(static.with_plane(values.shape, plane))  # type: ignore[no-any-return]


def _by_gathering(static: Static, cotangent: jax.Array, x: Any, indices: Sequence[Any]) -> jax.Array:
    return _gather(static, cotangent, indices[0])


def _by_adding(static: Static, cotangent: jax.Array, x: Any, indices: Sequence[Any]) -> jax.Array:
    return _scatter_add(static, cotangent, indices[0], static.split(x.shape)[1])


# ---- rules as JAX wants them ----


def _linear_jvp(primals: Sequence[Any], tangents: Sequence[Any], *, static: Static) -> Any:
    return bind(static, primals), bind(static, [tangents[0], *primals[1:]])


def _linear_transpose(
    transpose: Transpose, cotangents: Sequence[Any], x: Any, *indices: Any, static: Static
) -> list[Any]:
    (cotangent,) = cotangents
    gradient = ad.Zero(x.aval) if isinstance(cotangent, ad.Zero) else transpose(static, cotangent, x.aval, indices)
    return [gradient, *[None for _ in indices]]


def _pool_jvp(primals: Sequence[Any], tangents: Sequence[Any], *, static: Static) -> Any:
    out, indices = bind(static, primals)
    no_tangent = ad.Zero(type_of(indices).to_tangent_aval())
    return [out, indices], [_gather(static, tangents[0], indices), no_tangent]


def _plain_pool_jvp(primals: Sequence[Any], tangents: Sequence[Any], *, static: Static) -> Any:
    """By the indices of the same windows over tensors that are padded, or cut, as far as these reach."""
    given = {static.spec.argument(name).common_name: value for name, value in static.arguments}
    before_plane, plane, _ = static.split(primals[0].shape)
    (_, pooled), axes = static.results[0], len(plane)
    kernel, stride, pads = (_per_axis(given[name] or none, axes) for name, none in _WINDOW)
    around = [(0, 0, 0)] * primals[0].ndim
    for axis in range(axes):
        reached = (pooled[axis] - 1) * stride[axis] + kernel[axis]
        around[len(before_plane) + axis] = (pads[axis], reached - plane[axis] - pads[axis], 0)
    zero = primals[0].dtype.type(0)
    arguments = (("kernelSize", kernel), ("stride", stride), ("padding", (0,)), ("dilation", (1,)), ("ceilMode", 0))
    operator = next(
        spec.name
        for spec in PLANEWISE.values()
        if spec.makes_indices and spec.family == "pool" and spec.axes == static.spec.axes
    )
    results = (static.results[0], ("int32", pooled))
    finding = Static(operator, arguments, results, channels_last=static.channels_last)
    _, indices = bind(finding, [jax.lax.pad(primals[0], zero - jnp.inf, around)])
    return bind(static, primals), [_gather(static, jax.lax.pad(tangents[0], zero, around), indices)]


_WINDOW = (("kernelSize", (1,)), ("stride", (1,)), ("padding", (0,)))


def _per_axis(values: Shape, axes: int) -> Shape:
    return values * axes if len(values) == 1 else values[:axes]


def _transpose_of(spec: OpSpec) -> Transpose:
    """Pooling's gradient adds at indices and unpooling's fetches there: each is the other's transposed map."""
    by_indices: dict[Family, Transpose] = {
        "pool": _by_gathering,
        "adaptive_pool": _by_gathering,
        "unpool": _by_adding,
    }
    return by_indices.get(spec.family, _by_partner) if spec.is_gradient else _by_partner


for _name, _spec in PLANEWISE.items():
    if _spec.makes_indices:
        ad.primitive_jvps[PRIMITIVES[_name]] = _pool_jvp
    elif _spec.family == "plain_pool":
        ad.primitive_jvps[PRIMITIVES[_name]] = _plain_pool_jvp
    else:
        ad.primitive_jvps[PRIMITIVES[_name]] = _linear_jvp
        ad.primitive_transposes[PRIMITIVES[_name]] = functools.partial(_linear_transpose, _transpose_of(_spec))
