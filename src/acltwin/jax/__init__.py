"""The operators on JAX arrays: under ``jit``, ``grad``, ``jvp``, ``vmap`` and ``shard_map``, to any order, on the CPU.

The functions are those of :mod:`acltwin`, with the same arguments (but no ``out``), checks and bits. Sizes, strides,
scales and the like are static Python values; wrong shapes are rejected while JAX traces. Inside a compiled program an
operator is one native call, with no Python and no copy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from acltwin._extras import jax as _jax  # noqa: F401  first of all, for its message
from acltwin.jax import _gradients as _gradients  # teaches JAX the derivatives
from acltwin.jax._engine import Engine, engine
from acltwin.jax._functions import FUNCTIONS

globals().update(FUNCTIONS)  # their types stand in __init__.pyi

__all__ = ["Engine", "engine", *FUNCTIONS]

if not TYPE_CHECKING:  # type checkers find typos for themselves

    def __getattr__(name: str) -> object:
        from acltwin._names import absent

        raise absent(name, __all__, __name__)
