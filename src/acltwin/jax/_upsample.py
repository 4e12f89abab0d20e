"""Nearest-neighbour upsampling and its gradients on JAX arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import jax

from acltwin.jax._primitives import Static, call
from acltwin.ops._arrays import DataFormat, MapRule

Scale = float | None


def _forward(
    operator: str, input: Any, size: Any, scales: Sequence[Scale], data_format: str, rule: MapRule
) -> jax.Array:
    return call(operator, (input,), Static((size,), tuple(scales), data_format=data_format, rule=rule))[0]


def _backward(
    operator: str, grad: Any, sizes: Sequence[Any], scales: Sequence[Scale], data_format: str, rule: MapRule
) -> jax.Array:
    static = Static(tuple(sizes), tuple(scales), data_format=data_format, rule=rule, batch_size_in=1)
    return call(operator, (grad,), static)[0]


def upsample_nearest3d(
    input: jax.Array,
    output_size: Sequence[int],
    scales_d: Scale = 0.0,
    scales_h: Scale = 0.0,
    scales_w: Scale = 0.0,
    *,
    data_format: DataFormat = "NCDHW",
    rule: MapRule = "device",
) -> jax.Array:
    """Nearest-neighbour upsampling in 3-D; see :func:`acltwin.upsample_nearest3d`.

    >>> import jax.numpy as jnp
    >>> upsample_nearest3d(jnp.ones((1, 1, 1, 1, 2)), (1, 1, 4)).shape
    (1, 1, 1, 1, 4)
    """
    return _forward("upsample_nearest3d", input, output_size, (scales_d, scales_h, scales_w), data_format, rule)


def upsample_nearest_exact3d(
    input: jax.Array,
    output_size: Sequence[int],
    scales_d: Scale = 0.0,
    scales_h: Scale = 0.0,
    scales_w: Scale = 0.0,
    *,
    data_format: DataFormat = "NCDHW",
    rule: MapRule = "device",
) -> jax.Array:
    """Nearest-neighbour upsampling by cell centres in 3-D; see :func:`acltwin.upsample_nearest_exact3d`."""
    return _forward("upsample_nearest_exact3d", input, output_size, (scales_d, scales_h, scales_w), data_format, rule)


def upsample_nearest_exact2d(
    input: jax.Array,
    output_size: Sequence[int],
    scales_h: Scale = 0.0,
    scales_w: Scale = 0.0,
    *,
    data_format: Literal["NCHW", "NHWC"] = "NCHW",
    rule: MapRule = "device",
) -> jax.Array:
    """Nearest-neighbour upsampling by cell centres in 2-D; see :func:`acltwin.upsample_nearest_exact2d`."""
    return _forward("upsample_nearest_exact2d", input, output_size, (scales_h, scales_w), data_format, rule)


def upsample_nearest3d_backward(
    grad_out: jax.Array,
    output_size: Sequence[int],
    input_size: Sequence[int],
    scales_d: Scale = 0.0,
    scales_h: Scale = 0.0,
    scales_w: Scale = 0.0,
    *,
    data_format: DataFormat = "NCDHW",
    rule: MapRule = "device",
) -> jax.Array:
    """Gradient of 3-D nearest-neighbour upsampling; see :func:`acltwin.upsample_nearest3d_backward`."""
    sizes, scales = (output_size, input_size), (scales_d, scales_h, scales_w)
    return _backward("upsample_nearest3d_backward", grad_out, sizes, scales, data_format, rule)


def upsample_nearest_exact3d_backward(
    grad_out: jax.Array,
    output_size: Sequence[int],
    input_size: Sequence[int],
    scales_d: Scale = 0.0,
    scales_h: Scale = 0.0,
    scales_w: Scale = 0.0,
    *,
    data_format: DataFormat = "NCDHW",
    rule: MapRule = "device",
) -> jax.Array:
    """Gradient of 3-D upsampling by cell centres; see :func:`acltwin.upsample_nearest_exact3d_backward`."""
    sizes, scales = (output_size, input_size), (scales_d, scales_h, scales_w)
    return _backward("upsample_nearest_exact3d_backward", grad_out, sizes, scales, data_format, rule)


def upsample_nearest_exact2d_backward(
    grad_output: jax.Array,
    output_size: Sequence[int],
    input_size: Sequence[int],
    scales_h: Scale = 0.0,
    scales_w: Scale = 0.0,
    *,
    rule: MapRule = "device",
) -> jax.Array:
    """Gradient of 2-D upsampling by cell centres; see :func:`acltwin.upsample_nearest_exact2d_backward`."""
    sizes, scales = (output_size, input_size), (scales_h, scales_w)
    return _backward("upsample_nearest_exact2d_backward", grad_output, sizes, scales, "NCHW", rule)
