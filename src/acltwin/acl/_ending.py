"""The end of the interpreter, which the library must know of: arrays end with it, and threads may still copy."""

from __future__ import annotations

import atexit
import ctypes


def tell_of_the_end(library: ctypes.CDLL) -> None:
    """Let the twin, if the library is that, finish running copies before arrays end, and begin no others."""
    python = ctypes.pythonapi
    python.PyInterpreterState_Get.restype = python.PyInterpreterState_Main.restype = ctypes.c_void_p
    is_main = python.PyInterpreterState_Get() == python.PyInterpreterState_Main()
    if is_main and hasattr(library, "acltwin_interpreter_ends"):
        library.acltwin_interpreter_begins(python.PyGILState_GetThisThreadState)
        atexit.register(library.acltwin_interpreter_ends)
