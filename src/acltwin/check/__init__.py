"""``acltwin check``: run a program in check mode, and say whether it has mistakes that happen to work.

The library writes what it finds into a log, with places in the program's files. Functions and lines are looked up here,
and known findings left out here, so that the program itself starts no other program.

Exit status: the program's own if it failed (128 + the signal that ended it); else that of ``--error-exitcode`` if there
were findings; else 0. 2 also stands for a request that is wrong, and for a program that never used the library.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from acltwin._writing import NotWrittenError, make_sure_of
from acltwin.check import document, suppressions
from acltwin.check.program import ProgramError, environment_for, found_program, run_program
from acltwin.check.report import Finding, Report
from acltwin.check.suppressions import Suppression
from acltwin.check.words import EXAMPLES, kinds_of, status_of

REQUEST_WRONG = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "acltwin check [options] [--] PROGRAM [ARGUMENT ...]\n       acltwin check [options] --read LOG"
    parser.epilog = EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "--only", metavar="KINDS", help="only look for these: a list of race, init, bounds, host, leak, use"
    )
    parser.add_argument("--json", metavar="FILE", help="write all findings into a file")
    parser.add_argument(
        "--error-exitcode", metavar="N", default="1", help="the exit status when there are findings (default: 1)"
    )
    parser.add_argument("--suppress", metavar="FILE", help="findings that are known and not reported")
    parser.add_argument("--read", metavar="LOG", help="show the findings that ACLTWIN_CHECK_LOG=LOG has collected")
    parser.add_argument(
        "program", nargs=argparse.REMAINDER, metavar="PROGRAM", help="what to run, with its arguments: ./program --fast"
    )


def run(arguments: argparse.Namespace) -> int:
    try:
        return _run(arguments)
    except (ProgramError, NotWrittenError) as error:
        print(f"acltwin check: {error}", file=sys.stderr)
        return REQUEST_WRONG


def _run(arguments: argparse.Namespace) -> int:
    kinds, when_found = kinds_of(arguments.only), status_of(arguments.error_exitcode)
    words = arguments.program[1:] if arguments.program[:1] == ["--"] else arguments.program
    if arguments.json is not None:
        make_sure_of(Path(arguments.json))  # before the program runs, not after
    known = suppressions.read(arguments.suppress or os.environ.get("ACLTWIN_CHECK_SUPPRESS"))
    if arguments.read is not None:
        report = _read(Path(arguments.read), words, kinds, known)
        return _finish(arguments, words, 0, report.findings, when_found)
    program = found_program(words)
    with tempfile.TemporaryDirectory(prefix="acltwin-check-") as folder:
        log = Path(folder, "findings.jsonl")
        report = Report(log, kinds, known)
        status = run_program(program, words, environment_for(kinds, log), report.read_on)
        used = log.exists()
        if used:
            report.finish()
    result = _finish(arguments, words, status, report.findings, when_found)
    if used or status != 0:
        return result
    raise ProgramError(
        f"'{words[0]}' has ended without using acltwin's library: nothing was checked; link it with the library of "
        "'acltwin sdk', or use acltwin.acl"
    )


def _read(log: Path, words: Sequence[str], kinds: Sequence[str], known: Sequence[Suppression]) -> Report:
    if words:
        raise ProgramError(f"--read shows a log and runs no program, but '{words[0]}' is named as well; leave out one")
    if not log.is_file():
        raise ProgramError(f"--read '{log}' is no file; name the one that ACLTWIN_CHECK_LOG has named")
    report = Report(log, kinds, known)
    report.finish()
    return report


def _finish(
    arguments: argparse.Namespace, words: Sequence[str], status: int, findings: list[Finding], when_found: int
) -> int:
    """The exit status; before that, the document."""
    try:
        if arguments.json is not None:
            document.write(Path(arguments.json), words, status, findings)
    except NotWrittenError as error:
        print(f"acltwin check: {error}", file=sys.stderr)
        return status or REQUEST_WRONG
    return status or (when_found if findings else 0)
