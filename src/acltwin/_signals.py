"""Requests to end, as exceptions: what is half done is then cleared away."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def ended_in_order() -> Iterator[None]:
    """SIGTERM and SIGHUP raise KeyboardInterrupt with their number, unless somebody has chosen something else."""

    def interrupt(number: int, _: FrameType | None) -> None:
        raise KeyboardInterrupt(number)

    chosen = []
    if threading.current_thread() is threading.main_thread():
        chosen = [n for n in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) is signal.SIG_DFL]
    for number in chosen:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in chosen:
            signal.signal(number, signal.SIG_DFL)
