"""What runs an operator inside an XLA program: a native handler where jaxlib takes it, Python callbacks elsewhere."""

from __future__ import annotations

import functools
import os
from importlib.metadata import version
from typing import Literal, NamedTuple

import jax

from acltwin import _core
from acltwin.jax._sharding import make_partitionable

VARIABLE = "ACLTWIN_JAX_ENGINE"
TARGET = "acltwin"
"""The name of the native handler among XLA's custom calls."""


class Engine(NamedTuple):
    """The engine in use, and why it is this one."""

    name: Literal["xla_ffi", "pure_callback"]
    reason: str


@functools.cache
def _register_handler() -> str:
    """Hands the handler to XLA. Empty, or why it does not take it."""
    try:
        jax.devices("cpu")  # XLA looks at a platform's handlers once the platform is there
        jax.ffi.register_ffi_target(TARGET, _core.xla_handler(), platform="cpu")
        make_partitionable(TARGET)
    except Exception as problem:  # jaxlib's own exceptions differ between its versions
        return " ".join(str(problem).split())
    return ""


def engine() -> Engine:
    """The engine for programs that are compiled from now on.

    The environment variable ``ACLTWIN_JAX_ENGINE=pure_callback`` chooses the callbacks; programs that are compiled
    already stay as they are.
    """
    choice = os.environ.get(VARIABLE, "")
    if choice == "pure_callback":
        return Engine("pure_callback", f"{VARIABLE} asks for it")
    if choice not in ("", "xla_ffi"):
        raise ValueError(f"{VARIABLE} is {choice!r}, expected xla_ffi or pure_callback; correct it or unset it")
    problem = _register_handler()
    if problem:
        return Engine("pure_callback", f"jaxlib {version('jaxlib')} refuses the native handler: {problem}")
    return Engine("xla_ffi", f"jaxlib {version('jaxlib')} takes the native handler")
