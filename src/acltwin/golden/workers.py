"""Running a target in child processes: a crash or a hang is one failed case, not the end of the run."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import time
import traceback
import warnings
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

from acltwin.golden.case import Case
from acltwin.golden.guards import Answer
from acltwin.golden.targets import Target

TIMEOUT = 60.0


def answers(
    cases: Sequence[Case], target: Target, *, jobs: int = 1, timeout: float = TIMEOUT, isolate: bool = True
) -> Generator[tuple[int, Answer], None, None]:
    """(number of the case, answer), in the order in which they come. Closing the iterator ends the children.

    Without ``isolate`` the cases run in this process, where nothing can be done about a crash or a hang: for devices
    that do not survive a fork.
    """
    if not cases:
        return
    if not isolate:
        yield from _here(cases, target)
        return
    waiting = deque(range(len(cases)))
    crew = [_Worker(cases, target) for _ in range(max(1, min(jobs, len(cases))))]
    try:
        while waiting or any(worker.busy for worker in crew):
            for worker in crew:
                if waiting and not worker.busy:
                    worker.give(waiting.popleft(), timeout)
            for worker, number, answer in _collected(crew):
                if waiting:  # the child works while we judge
                    worker.give(waiting.popleft(), timeout)
                yield number, answer
    finally:
        for worker in crew:
            worker.end()


def _here(cases: Sequence[Case], target: Target) -> Iterator[tuple[int, Answer]]:
    try:
        answer = target.open()
    except Exception as error:
        for number in range(len(cases)):
            yield number, _refusal("cannot be loaded", error)
        return
    for number, case in enumerate(cases):
        yield number, _answered(answer, case)


def _collected(crew: list[_Worker]) -> Iterator[tuple[_Worker, int, Answer]]:
    """What the crew has to say; a worker that died or takes too long is replaced."""
    busy = [worker for worker in crew if worker.busy]
    patience = max(0.0, min(worker.deadline for worker in busy) - time.monotonic())
    ready = wait([worker.connection for worker in busy], patience)
    for worker in busy:
        if worker.connection in ready:
            number = worker.number
            yield worker, number, worker.receive()
        elif time.monotonic() > worker.deadline:
            number = worker.number
            worker.replace()
            yield (
                worker,
                number,
                Answer("error", problem=f"no answer after {worker.patience:g} s; the process was ended"),
            )


@dataclass
class _Worker:
    """One child process, replaced when it dies."""

    cases: Sequence[Case]
    target: Target
    number: int = -1
    deadline: float = 0.0
    patience: float = 0.0

    def __post_init__(self) -> None:
        self._start()

    @property
    def busy(self) -> bool:
        return self.number >= 0

    def give(self, number: int, timeout: float) -> None:
        self.number, self.patience = number, timeout
        self.deadline = time.monotonic() + timeout
        with contextlib.suppress(OSError):  # it died while it had nothing to do; `receive` will say so
            self.connection.send(number)

    def receive(self) -> Answer:
        try:
            answer: Answer = self.connection.recv()
            self.number = -1
            return answer
        except (EOFError, OSError):
            self.process.join(1.0)
            problem = f"the process ended: {reason_of_end(self.process.exitcode)}"
            self.replace()
            return Answer("error", problem=problem)

    def replace(self) -> None:
        self.end()
        self.number = -1
        self._start()

    def end(self) -> None:
        self.connection.close()
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        self.process.close()

    def _start(self) -> None:
        """A fork, so that functions need not be importable. What warns of threads is told below to be careful."""
        context = multiprocessing.get_context("fork")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, self.connection, self.cases, self.target))
        sys.stdout.flush()
        sys.stderr.flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.process.start()
        theirs.close()


def _serve(
    connection: Connection[Any, Any], parents: Connection[Any, Any], cases: Sequence[Case], target: Target
) -> None:
    """The child: numbers in, answers out, until the parent hangs up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business
    parents.close()
    torch = sys.modules.get("torch")
    if torch is not None:  # its threads did not survive the fork
        torch.set_num_threads(1)
    answer, refusal = None, None
    try:
        answer = target.open()
    except BaseException as error:
        refusal = _refusal("cannot be loaded", error)
    while True:
        try:
            number = connection.recv()
        except (EOFError, OSError):
            break
        result = refusal or _answered(answer, cases[number])
        try:
            connection.send(result)
        except OSError:
            break
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # nothing of the parent's that is still open may be closed twice


def _answered(answer: Any, case: Case) -> Answer:
    try:
        result: Answer = answer(case)
        return result
    except (Exception, SystemExit) as error:
        return _refusal("raised", error)


def _refusal(what: str, error: BaseException) -> Answer:
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""
    return Answer("error", problem=f"{what}: {type(error).__name__}: {error}{where}")


def reason_of_end(exitcode: int | None) -> str:
    """Why a process ended, by its exit status."""
    if exitcode is None:
        return "no exit status"
    if exitcode < 0:
        return f"signal {-exitcode} ({signal.strsignal(-exitcode)})"
    return f"exit status {exitcode}"
