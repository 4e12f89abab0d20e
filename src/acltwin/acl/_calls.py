"""How C results become Python values: ``ret`` alone, or the value with ``ret`` behind it."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from typing import Any


def give(function: Callable[..., int], kind: Any, *arguments: Any) -> tuple[Any, int]:
    """Call a function whose first parameter is where the value goes."""
    value = kind()
    ret = function(ctypes.byref(value), *arguments)
    return value.value or 0, ret


def give_last(function: Callable[..., int], kind: Any, *arguments: Any) -> tuple[Any, int]:
    """Call a function whose last parameter is where the value goes."""
    value = kind()
    ret = function(*arguments, ctypes.byref(value))
    return value.value or 0, ret


def packed(code: str, values: Sequence[Any] | None) -> bytes | None:
    """The values as a C array of the type with this :mod:`struct` code; ``None`` stays a null pointer.

    Bytes, because ctypes takes seven times as long to make an array of its own.
    """
    return None if values is None else struct.pack(f"{len(values)}{code}", *values)
