"""A second ACL library as a target: every case runs through the twin and through it, in two layouts.

What must agree is the status of every function; results are judged as everybody's are. Workspace sizes, and bits that
differ within the rule, are noted.
"""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from acltwin.acl._library import CHOICE, library_files
from acltwin.golden.cases.case import Case
from acltwin.golden.cases.dtypes import Array
from acltwin.golden.run.calling import Answer, Conduct, same_bits
from acltwin.golden.run.library.calls import LAYOUTS, Call, Hello, Laid, Reply, lay_out, results_of, trespass
from acltwin.golden.run.processes import reason_of_end

OPTION = "--library"


@dataclass(frozen=True)
class LibraryTarget:
    """``choice``: a library, a directory with libraries, or ``cann``. LibraryNotFoundError if there is none."""

    choice: str
    conduct: Conduct = field(default_factory=Conduct)
    rule: str = "bound"
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        library_files(self.choice, OPTION)

    @property
    def name(self) -> str:
        return f"{OPTION}={self.choice}"

    def files(self) -> list[Path]:
        return list(map(Path, library_files(self.choice, OPTION)))

    def open(self) -> Callable[[Case], Answer]:
        return _Pair(self).answer


@dataclass(frozen=True)
class _Outcome:
    reply: Reply
    results: tuple[Array, ...] = ()
    misconduct: str = ""


class _Pair:
    """The twin and the other library, each in its process."""

    def __init__(self, target: LibraryTarget) -> None:
        self._target = target
        self._twin, self._other = LibraryProcess(None), LibraryProcess(target.choice)

    def answer(self, case: Case) -> Answer:
        try:
            return self._answer(case)
        except ChildProcessError as error:
            return Answer("error", problem=str(error))

    def _answer(self, case: Case) -> Answer:
        elsewhere = self._target.conduct.refusal_of(self._other.device)
        if elsewhere:
            return Answer("failed", device=self._other.device, problem=elsewhere)
        answered: list[tuple[Array, ...]] = []
        refusals: dict[str, str] = {}
        notes: dict[str, None] = {}
        warnings: dict[str, None] = {}
        seconds = 0.0
        for layout in LAYOUTS:
            laid = lay_out(case, layout)
            twin, other = _outcome(self._twin, laid), _outcome(self._other, laid)
            seconds += other.reply.seconds
            problem = self._disagreement(twin, other)
            if problem:
                return Answer("failed", device=self._other.device, seconds=seconds, problem=f"{layout}: {problem}")
            if twin.reply.workspace != other.reply.workspace:
                both = f"the twin {twin.reply.workspace} bytes, {self._other.name} {other.reply.workspace}"
                notes[f"workspace: {both}"] = None
            if other.reply.status:
                refusals[layout] = f"both libraries refuse: {_ending(other.reply)}"
                continue
            if not all(map(_same_numbers, twin.results, other.results)):
                notes["results differ from the twin's in some bits"] = None
            if not self._is_repeatable(laid, other):
                warnings[f"{layout}: not deterministic: the same inputs gave different bits"] = None
            answered.append(other.results)
        if warnings and self._target.conduct.deterministic:
            return Answer("failed", device=self._other.device, seconds=seconds, problem=next(iter(warnings)))
        if not answered:
            problems = dict.fromkeys(refusals.values())
            return Answer("skipped", device=self._other.device, problem="; ".join(problems), notes=tuple(problems))
        notes |= {f"{layout}: {refusal}": None for layout, refusal in refusals.items()}
        chosen = self._to_be_judged(case, answered)
        return Answer("answered", chosen, self._other.device, seconds, warnings=tuple(warnings), notes=tuple(notes))

    def _disagreement(self, twin: _Outcome, other: _Outcome) -> str:
        said = [(outcome.reply.function, outcome.reply.status) for outcome in (twin, other)]
        if said[0] != said[1]:
            return "; ".join(
                f"{process.name}: {_ending(outcome.reply)}"
                for process, outcome in ((self._twin, twin), (self._other, other))
            )
        for process, outcome in ((self._twin, twin), (self._other, other)):
            if outcome.misconduct:
                return f"{process.name} {outcome.misconduct}"
        return ""

    def _is_repeatable(self, laid: Laid, first: _Outcome) -> bool:
        again = (_outcome(self._other, laid) for _ in range(self._target.conduct.repeat - 1))
        return all(same_bits(first.results, outcome.results) for outcome in again)

    def _to_be_judged(self, case: Case, answered: list[tuple[Array, ...]]) -> tuple[Array, ...]:
        """The results of the first layout; if another's differ, the first that are wrong."""
        first, *others = answered
        if all(same_bits(first, other) for other in others):
            return first
        for results in answered:
            if not case.judge(results, self._target.rule, **self._target.options).passed:
                return results
        return first


def _outcome(process: LibraryProcess, laid: Laid) -> _Outcome:
    reply, memory = process.run(laid.call, laid.data)
    if reply.status:
        return _Outcome(reply)
    misconduct = ""
    outside = trespass(laid.call, memory)
    if reply.written:
        misconduct = f"wrote its input {', '.join(reply.written)}; inputs must stay as they are"
    elif outside:
        misconduct = f"wrote memory of {outside} that is outside of the tensor"
    return _Outcome(reply, results_of(laid.call, memory), misconduct)


def _ending(reply: Reply) -> str:
    if not reply.status:
        return "succeeded"
    return f"{reply.function} returned {reply.status}: {' '.join(reply.message.split()) or 'no message'}"


def _same_numbers(first: Array, second: Array) -> bool:
    """The same bits, but for the kind of a NaN."""
    if first.tobytes() == second.tobytes():
        return True
    differs = first.view(f"u{first.itemsize}") != second.view(f"u{second.itemsize}")
    return bool(np.isnan(first[differs]).all() and np.isnan(second[differs]).all())


# ---- a library's process: memory that both see, and calls that survive a crash of the library ----


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
