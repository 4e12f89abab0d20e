"""A program as a child in check mode: found, given its environment, and sent the signals that come for it."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType

PASSED_ON = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGCONT)
FROM_THE_KEYBOARD = (signal.SIGINT, signal.SIGQUIT)


class ProgramError(Exception):
    """The request cannot be met, for a reason that one sentence tells."""


def found_program(words: Sequence[str]) -> str:
    """The file to run."""
    if not words:
        raise ProgramError("no program is named; write it behind the options, as in: acltwin check ./program")
    name = words[0]
    found = shutil.which(name)
    if found is not None:
        return found
    path = Path(name)
    if path.is_dir():
        raise ProgramError(f"'{name}' is a directory, expected a program")
    if path.suffix == ".py" and path.is_file():
        raise ProgramError(f"'{name}' cannot be executed; run it with Python: acltwin check python {name}")
    if path.is_file():
        raise ProgramError(
            f"'{name}' cannot be executed; give a path to it, as in ./{path.name}, and chmod +x it if needed"
        )
    where = "does not exist" if os.sep in name else "is neither in PATH nor in this directory"
    raise ProgramError(f"'{name}' {where}; name a program, as in: acltwin check ./program")


def environment_for(kinds: Sequence[str], log: Path) -> dict[str, str]:
    checks = {"ACLTWIN_CHECK": ",".join(kinds), "ACLTWIN_CHECK_LOG": str(log), "ACLTWIN_CHECK_QUIET": "1"}
    return {**os.environ, **checks}


def run_program(program: str, words: Sequence[str], environment: dict[str, str], meanwhile: Callable[[], None]) -> int:
    """Run it to its end: its exit status, 128 + n if signal n has ended it. Calls ``meanwhile`` again and again."""
    try:
        child = subprocess.Popen(words, executable=program, env=environment)
    except OSError as error:
        raise ProgramError(f"'{words[0]}' cannot be executed: {error.strerror}") from None

    def pass_on(number: int, _: FrameType | None) -> None:
        child.send_signal(number)

    def leave_to_the_terminal(number: int, _: FrameType | None) -> None:
        if not _terminal_signals_all():
            child.send_signal(number)

    before = {number: signal.signal(number, pass_on) for number in PASSED_ON}
    before |= {number: signal.signal(number, leave_to_the_terminal) for number in FROM_THE_KEYBOARD}
    try:
        status = None
        while status is None:
            meanwhile()
            with contextlib.suppress(subprocess.TimeoutExpired):
                status = child.wait(0.1)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return status if status >= 0 else 128 - status


def _terminal_signals_all() -> bool:
    """Whether keys such as Ctrl-C reach the program without us: it is in the terminal's foreground, as we are."""
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False
