"""``acl.util``: addresses of host data, and host data at addresses."""

from __future__ import annotations

import ctypes
import math
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from acltwin.acl._addresses import address_in_array, address_of_bytes
from acltwin.acl._frames import frames_outside
from acltwin.acl._library import c
from acltwin.acl._mistakes import explained
from acltwin.acl._names import absent, own_names

if TYPE_CHECKING:  # NumPy is imported only by the functions that need it
    import numpy as np


@explained
def bytes_to_ptr(data: bytes) -> int:
    """The address of the bytes; it is good for as long as ``data`` is kept."""
    address = ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0
    return address if c.checking is None else address_of_bytes(c.checking, data, address, frames_outside())


@explained
def ptr_to_bytes(ptr: int, size: int) -> bytes:
    """A copy of the bytes at an address."""
    return ctypes.string_at(ptr, size) if ptr else b""


@explained
def numpy_to_ptr(array: np.ndarray[Any, Any]) -> int:
    """The address of the array's first element; it is good for as long as ``array`` is kept."""
    return array.ctypes.data if c.checking is None else address_in_array(c.checking, array, frames_outside())


@explained
def ptr_to_numpy(ptr: int, shape: Sequence[int], npy_type_num: int) -> np.ndarray[Any, Any]:
    """An array over the memory at an address: no copy. The type number is a dtype's ``num``, e.g. 11 for float32."""
    import numpy as np

    numbers: dict[int, np.dtype[Any]] = {np.dtype(code).num: np.dtype(code) for code in np.typecodes["All"]}
    dtype = numbers.get(npy_type_num)
    if dtype is None:
        raise ValueError(
            f"acl.util.ptr_to_numpy: npy_type_num is {npy_type_num!r}, expected the number of a NumPy dtype; pass "
            "numpy.dtype(...).num, 11 for float32"
        )
    count = math.prod(shape)
    if count == 0 or not ptr:
        return np.empty(tuple(shape), dtype)
    memory = memoryview((ctypes.c_char * (count * dtype.itemsize)).from_address(ptr)).cast("B")
    return np.frombuffer(memory, dtype).reshape(tuple(shape))


_threads: dict[int, threading.Thread] = {}


@explained
def start_thread(function: Callable[[Any], object], args: Any) -> tuple[int, int]:
    """Run ``function(args)`` in a thread: ``(what acl.rt.subscribe_report takes, 0)``."""
    thread = threading.Thread(target=function, args=(args,), daemon=True)
    thread.start()
    assert thread.ident is not None
    _threads[thread.ident] = thread
    return thread.ident, 0


@explained
def stop_thread(thread_id: int) -> int:
    """Wait until the function of :func:`start_thread` has returned; 100000 for another number."""
    thread = _threads.pop(thread_id, None)
    if thread is None:
        return 100000
    thread.join()
    return 0


if not TYPE_CHECKING:  # type checkers find typos for themselves

    def __getattr__(name: str) -> object:
        raise absent(__name__, name)


def __dir__() -> list[str]:
    return own_names(globals())
