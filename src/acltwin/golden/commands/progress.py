"""One line on a terminal: done, failures, time left. Nothing at all anywhere else."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from acltwin.golden.run.run import Run

PAUSE = 0.1  # seconds between two lines


@contextmanager
def counting_line(what: str, total: int, stream: TextIO) -> Iterator[Callable[[], None]]:
    """What a loop calls after every step; shows nothing without a terminal."""
    done, shown = 0, time.monotonic()

    def step() -> None:
        nonlocal done, shown
        done += 1
        if stream.isatty() and time.monotonic() - shown >= PAUSE:
            shown = time.monotonic()
            stream.write(f"\r{what} {done}/{total}\x1b[K")
            stream.flush()

    try:
        yield step
    finally:
        if stream.isatty():
            stream.write("\r\x1b[K")
            stream.flush()


@contextmanager
def progress_line(total: int, stream: TextIO) -> Iterator[Callable[[Run, int], None] | None]:
    """What ``execute`` calls after every case; None without a terminal."""
    if not stream.isatty():
        yield None
        return
    start = time.monotonic()
    shown, before = 0.0, -1

    def show(run: Run, _: int) -> None:
        nonlocal shown, before
        now = time.monotonic()
        if before < 0:
            before = len(run.records) - 1  # of an earlier run that is resumed
        if now - shown < PAUSE:
            return
        shown = now
        done = len(run.records)
        left = (now - start) / (done - before) * (total - done)
        stream.write(f"\r{done}/{total}  failed {len(run.failures)}  {left:.0f} s left\x1b[K")
        stream.flush()

    try:
        yield show
    finally:
        stream.write("\r\x1b[K")
        stream.flush()
