"""``acltwin check``: run a program in check mode, and say whether it has mistakes that happen to work.

Exit status: the program's own if it failed (128 + the signal that ended it); else that of ``--error-exitcode`` if there
were findings; else 0. 2 also stands for a request that is wrong, and for a program that never used the library.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from acltwin._writing import NotWrittenError, make_sure_of
from acltwin.check import document
from acltwin.check.program import ProgramError, environment_for, found_program, run_program
from acltwin.check.words import EXAMPLES, kinds_of, status_of

REQUEST_WRONG = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "acltwin check [options] [--] PROGRAM [ARGUMENT ...]"
    parser.epilog = EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "--only", metavar="KINDS", help="look for these alone: a list of race, init, bounds, host, leak, use"
    )
    parser.add_argument("--json", metavar="FILE", help="write all findings into a file")
    parser.add_argument(
        "--error-exitcode", metavar="N", default="1", help="the exit status when there are findings (default: 1)"
    )
    parser.add_argument("--suppress", metavar="FILE", help="findings that are known and not reported")
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
    program = found_program(words)
    if arguments.json is not None:
        make_sure_of(Path(arguments.json))  # before the program runs, not after
    with tempfile.TemporaryDirectory(prefix="acltwin-check-") as folder:
        log = Path(folder, "findings.jsonl")
        status = run_program(program, words, environment_for(kinds, log, arguments.suppress))
        used = log.exists()
        findings = document.findings_in(log)
    try:
        if arguments.json is not None:
            document.write(Path(arguments.json), words, status, findings)
    except NotWrittenError as error:
        print(f"acltwin check: {error}", file=sys.stderr)
        return status or REQUEST_WRONG
    if status != 0:
        return status
    if not used:
        raise ProgramError(
            f"'{words[0]}' has ended without using acltwin's library: nothing was checked; link it with the library of "
            "'acltwin sdk', or use acltwin.acl"
        )
    return when_found if findings else 0
