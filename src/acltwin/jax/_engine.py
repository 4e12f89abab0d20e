"""What runs an operator inside an XLA program: native handlers where jaxlib takes them, Python callbacks elsewhere."""

from __future__ import annotations

import functools
import os
from importlib.metadata import version
from typing import Literal, NamedTuple

import jax

from acltwin import _core

VARIABLE = "ACLTWIN_JAX_ENGINE"


class Engine(NamedTuple):
    """The engine in use, and why it is this one."""

    name: Literal["xla_ffi", "pure_callback"]
    reason: str


def target_name(operator: str) -> str:
    """The name that a native handler has among XLA's custom calls."""
    return f"acltwin_{operator}"


@functools.cache
def _register_handlers() -> str:
    """Hands the handlers to XLA. Empty, or why it does not take them."""
    try:
        jax.devices("cpu")  # XLA looks at handlers of a platform once the platform is there
        for operator, handler in _core.xla_handlers().items():
            jax.ffi.register_ffi_target(target_name(operator), handler, platform="cpu")
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
    problem = _register_handlers()
    if problem:
        return Engine("pure_callback", f"jaxlib {version('jaxlib')} refuses the native handlers: {problem}")
    return Engine("xla_ffi", f"jaxlib {version('jaxlib')} takes the native handlers")
