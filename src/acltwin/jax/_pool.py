"""Max pooling, its undoing and their gradients on JAX arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import jax
import numpy as np

from acltwin.jax._primitives import Static, call
from acltwin.ops._arrays import Ints

Shaped = jax.Array | jax.ShapeDtypeStruct
"""Only shape and dtype count."""


def max_unpool3d(
    input: jax.Array, indices: jax.Array, output_size: Sequence[int], stride: Ints, padding: Ints
) -> jax.Array:
    """Puts elements where ``indices`` says, in planes of zeros; see :func:`acltwin.max_unpool3d`."""
    return call("max_unpool3d", (input, indices), Static((output_size, stride, padding)))[0]


def max_unpool3d_backward(
    grad_output: jax.Array,
    input: Shaped,
    indices: jax.Array,
    output_size: Sequence[int],
    stride: Ints,
    padding: Ints,
) -> jax.Array:
    """Gradient of 3-D max unpooling; see :func:`acltwin.max_unpool3d_backward`.

    ``input`` may be a ``jax.ShapeDtypeStruct``: its values are not read.
    """
    static = Static((output_size, stride, padding))
    return call("max_unpool3d_backward", (grad_output, indices), static, input)[0]


def max_pool3d_with_argmax(
    input: jax.Array,
    kernel_size: Ints,
    stride: Ints | None,
    padding: Ints,
    dilation: Ints,
    ceil_mode: bool,
    *,
    index_dtype: Literal["int32", "int64"] = "int32",
) -> tuple[jax.Array, jax.Array]:
    """The maximum of each window and where it was; see :func:`acltwin.max_pool3d_with_argmax`."""
    if index_dtype == "int64" and jax.dtypes.canonicalize_dtype(np.int64) != np.int64:
        raise ValueError(
            "max_pool3d_with_argmax: index_dtype is int64, which JAX has only with jax_enable_x64; "
            "leave it at int32, or call jax.config.update('jax_enable_x64', True) first"
        )
    static = Static((kernel_size, stride, padding, dilation), flag=(ceil_mode,), index_dtype=(index_dtype,))
    out, indices = call("max_pool3d_with_argmax", (input,), static)
    return out, indices


def max_pool3d_with_argmax_backward(
    grad_output: jax.Array,
    input: Shaped,
    indices: jax.Array,
    kernel_size: Ints,
    stride: Ints | None,
    padding: Ints,
    dilation: Ints,
    ceil_mode: bool,
) -> jax.Array:
    """Gradient of 3-D max pooling; see :func:`acltwin.max_pool3d_with_argmax_backward`.

    ``input`` may be a ``jax.ShapeDtypeStruct``: its values are not read.
    """
    static = Static((kernel_size, stride, padding, dilation), flag=(ceil_mode,))
    return call("max_pool3d_with_argmax_backward", (grad_output, indices), static, input)[0]
