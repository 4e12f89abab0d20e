"""The subcommands of ``acltwin`` that work with golden cases, one module each; here what several of them share."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TextIO

from acltwin.golden import files
from acltwin.golden.cases.case import Case
from acltwin.golden.cases.cases import MAX_BYTES
from acltwin.golden.cases.family import LEVELS
from acltwin.golden.files.vendor import DATA

if TYPE_CHECKING:
    from acltwin.golden.run.run import Run


def add_case_arguments(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    add = parser.add_argument
    return [
        add("--level", choices=LEVELS, default="default", help="quick is a smoke test (default: %(default)s)"),
        add("--dtype", dest="dtypes", metavar="DTYPE", action="append", help="only this dtype; repeatable"),
        add("--fill", dest="fills", metavar="FILL", action="append", help="only this kind of data; repeatable"),
        add("--only", action="append", default=[], help="only cases whose name begins with this; repeatable"),
        add("--seed", type=int, default=0, metavar="N", help="seed of the data (default: %(default)s)"),
        add(
            "--map-rule",
            choices=("device", "torch"),
            default="device",
            help="whose rule decides at borders (default: %(default)s)",
        ),
        add(
            "--data",
            choices=DATA,
            default="ours",
            help="data for cases of vendor files: ours, the file's, or both (default: %(default)s)",
        ),
        add("--sheet", help="the sheet of an .xlsx (default: the first)"),
        add("--max-bytes", type=int, default=MAX_BYTES, metavar="N", help="skip larger cases (default: %(default)s)"),
    ]


def chosen_cases(words: Sequence[str], arguments: argparse.Namespace) -> list[Case]:
    """ValueError, with what is wrong, if a word names no cases; what was left out is said on the error stream."""
    given: dict[str, Any] = {part.name: getattr(arguments, part.name, None) for part in fields(files.Choice)}
    given |= {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
    choice = files.Choice(**{name: value for name, value in given.items() if value is not None})
    cases = files.chosen_cases(words, choice)
    for note in choice.notes:
        print(note, file=sys.stderr)
    return cases


# ---- one line on a terminal: done, failures, time left; nothing at all anywhere else ----


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
    """What ``carry_out`` calls after every case; None without a terminal."""
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
