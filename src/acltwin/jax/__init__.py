"""The operators on JAX arrays: under ``jit``, ``grad``, ``jvp`` and ``vmap``, to any order, on the CPU.

The functions are those of :mod:`acltwin`, with the same arguments (but no ``out``), checks and bits. Sizes, strides,
scales and the like are static Python values; wrong shapes are refused while JAX traces. Inside a compiled program an
operator is one native call, with no Python and no copy.
"""

from __future__ import annotations

from acltwin._extras import jax as _jax  # noqa: F401  first of all, for its message
from acltwin.jax import _gradients as _gradients  # teaches JAX the derivatives
from acltwin.jax._engine import Engine, engine
from acltwin.jax._pool import (
    max_pool3d_with_argmax,
    max_pool3d_with_argmax_backward,
    max_unpool3d,
    max_unpool3d_backward,
)
from acltwin.jax._upsample import (
    upsample_nearest3d,
    upsample_nearest3d_backward,
    upsample_nearest_exact2d,
    upsample_nearest_exact2d_backward,
    upsample_nearest_exact3d,
    upsample_nearest_exact3d_backward,
)

__all__ = [
    "Engine",
    "engine",
    "max_pool3d_with_argmax",
    "max_pool3d_with_argmax_backward",
    "max_unpool3d",
    "max_unpool3d_backward",
    "upsample_nearest3d",
    "upsample_nearest3d_backward",
    "upsample_nearest_exact2d",
    "upsample_nearest_exact2d_backward",
    "upsample_nearest_exact3d",
    "upsample_nearest_exact3d_backward",
]
