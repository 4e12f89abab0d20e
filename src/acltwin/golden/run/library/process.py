"""The parent's side of a library's process: memory that both see, and calls that survive a crash of the library."""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
import weakref
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from acltwin.acl._library import CHOICE
from acltwin.golden.cases.dtypes import Array
from acltwin.golden.run.library.calls import Call, Hello, Reply
from acltwin.golden.run.processes import reason_of_end

TWIN = "the twin"
PROFILE = "ACLTWIN_PROFILE"
GRACE = 10.0  # seconds to end in


class Memory:
    """Anonymous memory behind a file descriptor; it grows with what is put there."""

    def __init__(self) -> None:
        self.number = os.memfd_create("acltwin-verify")
        weakref.finalize(self, os.close, self.number)

    def write(self, data: Array) -> None:
        os.ftruncate(self.number, max(len(data), 1))
        with mmap.mmap(self.number, max(len(data), 1)) as mapped:
            mapped[: len(data)] = data.tobytes()

    def read(self, nbytes: int) -> Array:
        with mmap.mmap(self.number, nbytes) as mapped:
            return np.frombuffer(mapped[:nbytes], np.uint8)


class LibraryProcess:
    """A library in a process of its own, started again after a crash; without a ``choice``, the twin."""

    def __init__(self, choice: str | None) -> None:
        self.name = choice or TWIN
        self._choice = choice
        self._memory = Memory()
        self._start()

    def run(self, call: Call, data: Array) -> tuple[Reply, Array]:
        """The reply, and the memory as the call left it. ChildProcessError if the library ends the process."""
        self._memory.write(data)
        try:
            self._connection.send(call)
            reply: Reply = self._connection.recv()
        except (EOFError, OSError):
            self._end()
            problem = f"{self.name} ended its process: {reason_of_end(self._process.returncode)}"
            self._start()
            raise ChildProcessError(problem) from None
        return reply, self._memory.read(call.nbytes)

    def _start(self) -> None:
        environment = {name: value for name, value in os.environ.items() if name != CHOICE}
        environment.setdefault(PROFILE, "device")  # what a device refuses is what another library is measured by
        if self._choice is not None:
            environment[CHOICE] = self._choice
        connection, theirs = Pipe()
        self._connection: Connection[Any, Any] = connection
        numbers = (theirs.fileno(), self._memory.number)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "acltwin.golden.run.library.child", *map(str, numbers)],
            env=environment,
            pass_fds=numbers,
            stdin=subprocess.DEVNULL,
            stdout=2,  # what a library prints is not part of our report
        )
        theirs.close()
        self._end = weakref.finalize(self, _end, connection, self._process)
        try:
            hello: Hello = connection.recv()
        except (EOFError, OSError):
            self._end()
            problem = reason_of_end(self._process.returncode)
            raise ChildProcessError(f"{self.name} ended its process while it was loaded: {problem}") from None
        if hello.problem:
            self._end()
            raise ChildProcessError(f"{self.name}: {hello.problem}")
        self.device = f"cpu, as {hello.soc}" if hello.is_host else f"npu, {hello.soc}"


def _end(connection: Connection[Any, Any], process: subprocess.Popen[bytes]) -> None:
    """A process ends when nobody calls any more; if it does not, it is made to."""
    connection.close()
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
