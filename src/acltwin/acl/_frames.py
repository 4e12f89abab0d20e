"""Where a call comes from, for check mode: Python's frames, which nobody who looks at C's stack can see."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from acltwin.acl._addresses import check_addresses

PACKAGE = str(Path(__file__).parent)
MOST_FRAMES = 8


def is_checking(library: ctypes.CDLL) -> bool:
    """Whether the library is the twin and its check mode is on."""
    return hasattr(library, "acltwin_check_is_on") and library.acltwin_check_is_on() != 0


def noting_frames(library: ctypes.CDLL, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function; each call tells the library first which Python code makes it."""
    note = library.acltwin_check_note_frames
    note.restype, note.argtypes = None, (ctypes.c_char_p,)
    copies = function.__name__.startswith("aclrtMemcpy")

    def noted(*arguments: Any) -> Any:
        note(frames_outside().encode(errors="replace"))
        if copies:
            check_addresses(arguments)
        return function(*arguments)

    return noted


def frames_outside() -> str:
    """The frames outside of this package, innermost first, as lines of function, file and line."""
    lines: list[str] = []
    frame = sys._getframe(1)
    while frame is not None and len(lines) < MOST_FRAMES:
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGE):
            lines.append(f"{code.co_qualname}\t{code.co_filename}\t{frame.f_lineno}")
        frame = frame.f_back  # type: ignore[assignment]
    return "\n".join(lines)
