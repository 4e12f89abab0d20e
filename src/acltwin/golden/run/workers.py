"""Running a target in child processes: a crash or a hang is one failed case, not the end of the run."""

from __future__ import annotations

import contextlib
import mmap
import multiprocessing
import os
import signal
import sys
import time
import traceback
import warnings
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from typing import Any, cast

from acltwin.golden.cases.case import Case
from acltwin.golden.run.calling import Answer
from acltwin.golden.run.processes import adopt_orphans, end_descendants, end_tree, end_with_parent, reason_of_end
from acltwin.golden.run.targets import Target

TIMEOUT = 60.0
GRACE = 10.0  # seconds for a child to end by itself
NO_MORE = -1
RETURNED_TWICE = "the kernel returned once more, in a copy of its process; end copies with os._exit"


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
    copies = _Copies()
    for number, case in enumerate(cases):
        result = _answered(answer, case)
        copies.end()
        yield number, copies.told(result)


def _collected(crew: list[_Worker]) -> Iterator[tuple[_Worker, int, Answer]]:
    """What the crew has to say; a worker that died or takes too long is replaced."""
    busy = [worker for worker in crew if worker.busy]
    patience = max(0.0, min(worker.deadline for worker in busy) - time.monotonic())
    ready = wait([one for worker in busy for one in (worker.connection, worker.process.sentinel)], patience)
    for worker in busy:
        if worker.connection in ready or worker.process.sentinel in ready:
            number = worker.number
            answer = worker.receive()
            if answer is not None:
                yield worker, number, answer
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

    def receive(self) -> Answer | None:
        """None for an answer to another case than the one that was given."""
        try:
            if not self.connection.poll():  # it ended, and a copy of it still lives
                raise EOFError
            number, answer = self.connection.recv()
        except (EOFError, OSError):
            self.process.join(1.0)
            problem = f"the process ended: {reason_of_end(self.process.exitcode)}"
        except Exception as error:  # whatever was read makes its reader raise that
            problem = f"the process wrote something else than its answer: {type(error).__name__}"
        else:
            if number != self.number:
                return None
            self.number = -1
            return cast(Answer, answer)
        self.replace()
        return Answer("error", problem=problem)

    def replace(self) -> None:
        self.end()
        self.number = -1
        self._start()

    def end(self) -> None:
        """With everything that it has started. It does so itself unless it is busy."""
        assert self.process.pid is not None
        if not self.busy:
            with contextlib.suppress(OSError):
                self.connection.send(NO_MORE)
            self.process.join(GRACE)
        if self.process.is_alive():
            end_tree(self.process.pid)
        else:
            end_descendants(self.process.pid)
        self.connection.close()
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
    """The child: numbers in, numbers with answers out, until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    os.setsid()  # whatever it starts can be found by that
    end_with_parent()
    adopt_orphans()
    parents.close()
    copies = _Copies()
    os.register_at_fork(after_in_child=connection.close)  # a copy neither answers nor keeps the connection open
    torch = sys.modules.get("torch")
    if torch is not None:  # its threads did not survive the fork
        torch.set_num_threads(1)
    answer, refusal = None, None
    try:
        answer = target.open()
    except BaseException as error:
        refusal = _refusal("cannot be loaded", error)
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        while (number := connection.recv()) != NO_MORE:
            result = refusal or _answered(answer, cases[number])
            copies.end()
            connection.send((number, copies.told(result)))
    sys.stdout.flush()
    sys.stderr.flush()
    end_descendants(os.getpid())
    os._exit(0)  # nothing of the parent's that is still open may be closed twice


class _Copies:
    """Copies of this process that a kernel makes by a fork and lets return: they are ended, and noted."""

    def __init__(self) -> None:
        self._home, self._returned = os.getpid(), mmap.mmap(-1, 1)

    def end(self) -> None:
        if os.getpid() != self._home:
            self._returned[0] = 1
            os._exit(0)

    def told(self, result: Answer) -> Answer:
        if not self._returned[0]:
            return result
        self._returned[0] = 0
        return replace(result, warnings=(*result.warnings, RETURNED_TWICE))


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
