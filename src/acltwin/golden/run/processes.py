"""Processes that end together with everything they have started."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from acltwin._signals import ended_in_order

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_KEPT = 4096  # bytes of what a program has printed
_PATIENCE = 5.0  # seconds for processes to disappear
_adopting = 0  # the process that gets the children of those below it that end


def end_with_parent(number: signal.Signals = signal.SIGTERM) -> None:
    """Lets the system send this signal when the process that started us ends, however it does."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)


def adopt_orphans() -> None:
    """Whatever is started below this process stays below it, in a session of its own or not."""
    global _adopting
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    _adopting = os.getpid()


def end_tree(pid: int) -> None:
    """Ends a process and everything below it. It is stopped first, so that it adopts what loses its parent."""
    _send(pid, signal.SIGSTOP)
    end_descendants(pid)
    _send(pid, signal.SIGKILL)


def end_descendants(root: int) -> None:
    """Ends everything below a process, which may have ended itself: stopped first, so that nothing new is started."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        stopped: set[int] = set()
        while found := _descendants(root) - stopped:
            for pid in found:
                _send(pid, signal.SIGSTOP)
            stopped |= found
        if not stopped:
            return
        for pid in stopped:
            _send(pid, signal.SIGKILL)
        time.sleep(0.002)
        for pid in stopped:
            _forget(pid)


def _descendants(root: int) -> set[int]:
    """The processes below one or in its session, without those that have ended and wait to be forgotten."""
    below: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent, _, session = path.read_text(errors="replace").rpartition(")")[2].split()[:4]
        except (OSError, ValueError):  # it has ended just now
            continue
        pid = int(path.parent.name)
        if state not in "ZX" and pid != root:
            below.setdefault(root if int(session) == root else int(parent), []).append(pid)
    found: set[int] = set()
    waiting = [root]
    while waiting:
        new = set(below.get(waiting.pop(), ())) - found
        found |= new
        waiting += new
    return found


def _send(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _forget(pid: int) -> None:
    """Of an adopted process; those of others are theirs."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


@dataclass(frozen=True)
class Ending:
    """``status`` is None if a program took too long; ``words`` are the last that it printed."""

    status: int | None
    words: str


def run_program(words: Sequence[str], timeout: float | None) -> Ending:
    """Runs a program, and ends everything that it leaves behind. OSError if it cannot be run."""
    with ended_in_order():  # so that SIGTERM ends the program, too
        process = subprocess.Popen(
            words,
            bufsize=0,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            tails = [_Tail(stream) for stream in (process.stderr, process.stdout) if stream]
            process.wait(timeout)
            status: int | None = process.returncode
        except subprocess.TimeoutExpired:
            status = None
        finally:
            if _adopting == os.getpid():
                end_descendants(os.getpid())
            elif process.returncode is None:
                end_tree(process.pid)
            process.wait()
    return Ending(status, next(filter(None, (tail.text() for tail in tails)), ""))


class _Tail:
    """The end of what comes out of a stream, read by a thread: nobody waits for it, and it takes no room."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self._kept = stream, bytearray()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with self._stream:
            while block := self._stream.read(2**16):
                self._kept += block
                del self._kept[:-_KEPT]

    def text(self) -> str:
        self._thread.join(1.0)  # it ends with the last process that may write
        return self._kept.decode(errors="replace").strip()


def reason_of_end(exitcode: int | None) -> str:
    """Why a process ended, by its exit status."""
    if exitcode is None:
        return "no exit status"
    if exitcode < 0:
        return f"signal {-exitcode} ({signal.strsignal(-exitcode)})"
    return f"exit status {exitcode}"
