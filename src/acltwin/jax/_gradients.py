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

from acltwin.jax import _pool, _upsample
from acltwin.jax._primitives import PRIMITIVES, Shape, Static

# ---- upsampling: each is the counterpart of the other ----


def _channels_first(shape: Shape, data_format: str) -> Shape:
    """N, C and the sizes."""
    return (shape[0], shape[-1], *shape[1:-1]) if data_format.endswith("C") else shape


def _transpose_upsample(backward: Callable[..., jax.Array], cotangent: jax.Array, x: Any, static: Static) -> jax.Array:
    size = _channels_first(x.shape, static.data_format)
    return backward(cotangent, static.ints[0], size, *static.scales, data_format=static.data_format, rule=static.rule)


def _transpose_upsample2d(cotangent: jax.Array, x: Any, static: Static) -> jax.Array:
    """The gradient in 2-D knows NCHW alone."""
    last = static.data_format == "NHWC"
    if last:
        cotangent = jnp.moveaxis(cotangent, -1, 1)
    size = _channels_first(x.shape, static.data_format)
    gradient = _upsample.upsample_nearest_exact2d_backward(
        cotangent, static.ints[0], size, *static.scales, rule=static.rule
    )
    return jnp.moveaxis(gradient, 1, -1) if last else gradient


def _transpose_upsample_backward(
    forward: Callable[..., jax.Array], cotangent: jax.Array, x: Any, static: Static
) -> jax.Array:
    size = _channels_first(x.shape, static.data_format)[2:]
    return forward(cotangent, size, *static.scales, data_format=static.data_format, rule=static.rule)


# ---- the index operators: gather and scatter ----


def _gather(planes: jax.Array, indices: jax.Array) -> jax.Array:
    """``planes[..., indices]`` on the flattened D*H*W axis."""
    size = planes.shape[-3:]
    if math.prod(indices.shape[-3:]) <= math.prod(size):
        like = jax.ShapeDtypeStruct(indices.shape, planes.dtype)
        return _pool.max_unpool3d_backward(planes, like, indices, size, (1, 1, 1), (0, 0, 0))
    # More windows than cells: unpooling knows no such thing. NaN marks an index outside its plane.
    batch = planes.shape[:-3]
    flat = jnp.take_along_axis(planes.reshape(*batch, -1), indices.reshape(*batch, -1), axis=-1, mode="fill")
    return flat.reshape(indices.shape)


def _scatter_add(values: jax.Array, indices: jax.Array, shape: Shape) -> jax.Array:
    """Zeros of ``shape``, with every value added at its index: pooling's gradient, for windows that fit the sizes."""
    cells, plane, batch = values.shape[-3:], shape[-3:], shape[:-3]
    if any(cell > size for cell, size in zip(cells, plane, strict=True)):
        cells, plane = (1, 1, math.prod(cells)), (1, 1, math.prod(plane))
    stride = tuple(size // cell for cell, size in zip(cells, plane, strict=True))
    kernel = tuple(size - (cell - 1) * step for cell, size, step in zip(cells, plane, stride, strict=True))
    like = jax.ShapeDtypeStruct((*batch, *plane), values.dtype)
    values, indices = values.reshape(*batch, *cells), indices.reshape(*batch, *cells)
    return _pool.max_pool3d_with_argmax_backward(values, like, indices, kernel, stride, 0, 1, False).reshape(shape)


def _transpose_unpool(cotangent: jax.Array, x: Any, static: Static, indices: jax.Array) -> jax.Array:
    like = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return _pool.max_unpool3d_backward(cotangent, like, indices, *static.ints)


def _transpose_unpool_backward(cotangent: jax.Array, x: Any, static: Static, indices: jax.Array) -> jax.Array:
    return _scatter_add(cotangent, indices, x.shape)


def _transpose_pool_backward(cotangent: jax.Array, x: Any, static: Static, indices: jax.Array) -> jax.Array:
    return _gather(cotangent, indices)


# ---- rules as JAX wants them ----


def _linear_jvp(operator: str, primals: Sequence[Any], tangents: Sequence[Any], **parameters: Any) -> Any:
    primitive = PRIMITIVES[operator]
    return primitive.bind(*primals, **parameters), primitive.bind(tangents[0], *primals[1:], **parameters)


def _linear_transpose(
    transpose: Callable[..., jax.Array], cotangents: Sequence[Any], x: Any, *indices: Any, static: Static, **_: Any
) -> list[Any]:
    (cotangent,) = cotangents
    gradient = ad.Zero(x.aval) if isinstance(cotangent, ad.Zero) else transpose(cotangent, x.aval, static, *indices)
    return [gradient, *[None for _ in indices]]


def _pool_jvp(primals: Sequence[Any], tangents: Sequence[Any], **parameters: Any) -> Any:
    out, indices = PRIMITIVES["max_pool3d_with_argmax"].bind(*primals, **parameters)
    no_tangent = ad.Zero(jax.core.ShapedArray(indices.shape, jax.dtypes.float0))
    return [out, indices], [_gather(tangents[0], indices), no_tangent]


_TRANSPOSES: dict[str, Callable[..., jax.Array]] = {
    "upsample_nearest3d": functools.partial(_transpose_upsample, _upsample.upsample_nearest3d_backward),
    "upsample_nearest_exact3d": functools.partial(_transpose_upsample, _upsample.upsample_nearest_exact3d_backward),
    "upsample_nearest_exact2d": _transpose_upsample2d,
    "upsample_nearest3d_backward": functools.partial(_transpose_upsample_backward, _upsample.upsample_nearest3d),
    "upsample_nearest_exact3d_backward": functools.partial(
        _transpose_upsample_backward, _upsample.upsample_nearest_exact3d
    ),
    "upsample_nearest_exact2d_backward": functools.partial(
        _transpose_upsample_backward, _upsample.upsample_nearest_exact2d
    ),
    "max_unpool3d": _transpose_unpool,
    "max_unpool3d_backward": _transpose_unpool_backward,
    "max_pool3d_with_argmax_backward": _transpose_pool_backward,
}

for _operator, _transpose in _TRANSPOSES.items():
    ad.primitive_jvps[PRIMITIVES[_operator]] = functools.partial(_linear_jvp, _operator)
    ad.primitive_transposes[PRIMITIVES[_operator]] = functools.partial(_linear_transpose, _transpose)
ad.primitive_jvps[PRIMITIVES["max_pool3d_with_argmax"]] = _pool_jvp
