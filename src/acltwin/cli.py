"""The ``acltwin`` command: one subcommand per module, each with its own arguments."""

from __future__ import annotations

import argparse
import errno
import importlib
import io
import os
import signal
import sys
from collections.abc import Sequence

from acltwin import __version__
from acltwin._signals import ended_in_order

# name -> (module with add_arguments(parser) and run(arguments), what it is for). Imported only when it is called.
COMMANDS = {
    "info": ("acltwin.info", "what is running here: version, library, instruction set, threads"),
    "run": ("acltwin.run", "run the documented case of every operator and check it"),
    "golden": ("acltwin.golden.commands.golden", "write cases for kernels: inputs and expected results"),
    "verify": ("acltwin.golden.commands.verify", "run a kernel over cases, and say what is wrong with it"),
    "compare": ("acltwin.golden.commands.compare", "compare a kernel's result with what is expected"),
    "report": ("acltwin.golden.commands.report", "write the HTML report of a run that was recorded"),
    "score": ("acltwin.golden.commands.score", "how many wrong kernels your cases catch, and which cases to add"),
    "check": ("acltwin.check", "run an aclnn program and find the mistakes in it that happen to work"),
    "sdk": ("acltwin.sdk", "write the C SDK tree: headers, libraries, set_env.sh"),
    "explain": ("acltwin.explain", "what a status, a rule, a finding or another word of a message means, and its fix"),
}


READER_LEFT = 141  # what a shell reports of a program that the system ended for this


def main(words: Sequence[str] | None = None) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names from files may be no text that can be printed
    try:
        with ended_in_order():
            try:
                return _run(words)
            finally:
                sys.stdout.flush()
    except KeyboardInterrupt as interrupt:
        print("acltwin: interrupted", file=sys.stderr)
        return 128 + (interrupt.args[0] if interrupt.args else signal.SIGINT)
    except BrokenPipeError:  # as in `acltwin explain | head`: nobody reads the rest
        _close_output()
        return READER_LEFT
    except OSError as error:
        if error.errno != errno.ENOSPC or error.filename is not None:
            raise
        _close_output()
        print("acltwin: cannot write the output: no space is left there", file=sys.stderr)
        return 1


def _close_output() -> None:
    """Python flushes once more when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(words: Sequence[str] | None) -> int:
    parser = argparse.ArgumentParser(
        prog="acltwin",
        description="Ascend's aclnn operators for upsampling and pooling, on the CPU.",
        epilog="'acltwin COMMAND --help' describes a command.",
    )
    parser.add_argument("--version", action="version", version=f"acltwin {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, (module, purpose) in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=purpose, description=purpose[0].upper() + purpose[1:] + ".")
        if _chosen(words) == name:
            importlib.import_module(module).add_arguments(subparser)
    arguments = parser.parse_args(words)
    if arguments.command is None:
        parser.print_help()
        return 0
    status = importlib.import_module(COMMANDS[arguments.command][0]).run(arguments)
    return int(status)


def _chosen(words: Sequence[str] | None) -> str | None:
    """The subcommand on the command line, so that only its module is imported."""
    given = sys.argv[1:] if words is None else words
    return next((word for word in given if not word.startswith("-")), None)
