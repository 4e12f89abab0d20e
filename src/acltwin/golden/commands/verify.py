"""``acltwin verify``: run a kernel over cases, judge its results, and say what is wrong.

Exit status: 0 every case passed; 1 a case failed; 2 the request or a file is wrong; 3 the target could not be run in
some case; 4 nothing was run.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Collection, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from acltwin._writing import make_sure_of
from acltwin.golden.cases.case import Case, Kind
from acltwin.golden.causes import explain
from acltwin.golden.commands import add_case_arguments, chosen_cases, progress_line
from acltwin.golden.files.tensors import FORMATS
from acltwin.golden.judge.bound import Bound
from acltwin.golden.judge.vendor_rules import rule_names
from acltwin.golden.run import workers
from acltwin.golden.run.calling import CONVENTIONS, Conduct
from acltwin.golden.run.library import LibraryTarget
from acltwin.golden.run.repeating import CASE, COMMAND, OPERATOR, Repetition
from acltwin.golden.run.run import NOTHING_RUN, PASSED, REQUEST_WRONG, Run
from acltwin.golden.run.targets import CommandTarget, NamedTarget, OutputsTarget, Target
from acltwin.golden.run.verify import carry_out

RECORD = Path(".acltwin", "run.json")
GRACE = 10.0  # seconds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "words",
        nargs="*",
        metavar="TARGET|OPERATOR|DIR|FILE",
        help="module:function, or file.py:function, which may import its neighbours; then operators or cases",
    )
    _add_options(parser)


def _add_options(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    add = parser.add_argument
    return [
        add("--command", dest="program", metavar="CMD", help="run a program instead: 'CMD {inputs} {output}'"),
        add("--format", choices=FORMATS, help="format of the files that --command exchanges (default: npy)"),
        add("--outputs", metavar="DIR", help="judge output files that were written elsewhere instead"),
        add("--library", metavar="PATH|cann", help="run a second ACL library beside the twin instead"),
        add("--rule", choices=rule_names(), default="bound", help="how to judge (default: %(default)s)"),
        add(
            "--accumulate",
            choices=("float32", "float64", "native"),
            help="dtype in which sums are taken (default: what the cases say, else float32)",
        ),
        add("--ftz", action="store_true", help="denormal numbers may be flushed to zero"),
        add(
            "--overflow",
            choices=("inf", "saturate"),
            default="inf",
            help="what an overflowing sum becomes (default: %(default)s)",
        ),
        add("--zero-sign", action="store_true", help="treat -0 and +0 as different"),
        add("--ties", choices=("any", "first"), help="which index of equal maxima is right (default: any)"),
        add(
            "--kind",
            choices=("numpy", "torch"),
            help="which arrays the function gets (default: torch if its module imports torch, torch_npu or triton)",
        ),
        add("--device", default="cpu", help="where PyTorch tensors are put (default: %(default)s)"),
        add("--require-device", metavar="NAME", help="reject results that are on another device"),
        add(
            "--convention", choices=CONVENTIONS, default="acltwin", help="order of the arguments (default: %(default)s)"
        ),
        add(
            "--repeat",
            type=int,
            default=1,
            metavar="N",
            help="run each case N times and compare bits (default: %(default)s)",
        ),
        add("--deterministic", action="store_true", help="differing bits are a failure, not a warning"),
        add("--jobs", type=int, default=1, metavar="N", help="number of child processes (default: %(default)s)"),
        add("--timeout", type=float, default=workers.TIMEOUT, help="seconds per case (default: %(default)g)"),
        add("--resume", action="store_true", help="resume the recorded run"),
        add(
            "--explain-seconds",
            type=float,
            default=explain.SECONDS,
            metavar="N",
            help="how long to look for the cause (default: %(default)g)",
        ),
        add("--json", metavar="FILE", default=str(RECORD), help="the record of the run (default: %(default)s)"),
        add("--report", metavar="FILE.html", help="write an HTML report"),
        *add_case_arguments(parser),
    ]


def run(arguments: argparse.Namespace) -> int:
    try:
        target, words = _target(arguments)
        cases = chosen_cases(words, arguments)
        if not cases:
            print("acltwin verify: nothing was run: no case was chosen; name operators, or all", file=sys.stderr)
            return NOTHING_RUN
        return _run(arguments, target, words, cases)
    except (ValueError, OSError) as error:
        print(f"acltwin verify: {error}", file=sys.stderr)
        return REQUEST_WRONG


def _run(arguments: argparse.Namespace, target: Target, words: list[str], cases: list[Case]) -> int:
    result = Run(
        target=target.name,
        rule=arguments.rule,
        options=_options(arguments),
        level=arguments.level,
        seed=arguments.seed,
        repetition=_repetition(arguments, words),
    )
    if arguments.resume:
        _take_over(result, Path(arguments.json), cases)
    for path in filter(None, (arguments.json, arguments.report)):
        make_sure_of(Path(path))
    isolate = arguments.device == "cpu" or bool(arguments.library or arguments.program)
    # A program has its own time; were its worker ended first, nobody would end the program.
    timeout = arguments.timeout * max(1, arguments.repeat) + GRACE if arguments.program else arguments.timeout
    try:
        with progress_line(len(cases), sys.stderr) as progress:
            carry_out(
                result,
                target,
                cases,
                jobs=arguments.jobs,
                timeout=timeout,
                isolate=isolate,
                explain_seconds=arguments.explain_seconds,
                progress=progress,
            )
    except KeyboardInterrupt:
        pass
    except (ValueError, OSError) as error:  # of a case that cannot be made; what came before it is not lost
        print(f"acltwin verify: {error}", file=sys.stderr)
        return _told(result, arguments) or REQUEST_WRONG
    return _told(result, arguments)


def _told(result: Run, arguments: argparse.Namespace) -> int:
    """Prints the verdict, and writes its files whatever becomes of that, and of each other."""
    written = True
    try:
        print(result.text())
    finally:
        for path, write in ((arguments.json, result.save), (arguments.report, result.to_html)):
            try:
                if path:
                    write(path)
            except (ValueError, OSError) as error:
                print(f"acltwin verify: {error}", file=sys.stderr)
                written = False
            except KeyboardInterrupt:
                print(f"acltwin verify: interrupted before {path} was written", file=sys.stderr)
                written = False
    return result.exit_status or (PASSED if written else REQUEST_WRONG)


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Those of ``bound`` that were given."""
    given = {part.name: getattr(arguments, part.name) for part in fields(Bound)}
    return {name: value for name, value in given.items() if value is not None}


def _target(arguments: argparse.Namespace) -> tuple[Target, list[str]]:
    """The target, and the words that are left for the cases."""
    conduct = Conduct(
        device=arguments.device,
        repeat=arguments.repeat,
        deterministic=arguments.deterministic,
        require_device=arguments.require_device,
    )
    if arguments.require_device and (arguments.program or arguments.outputs):
        raise ValueError("--require-device cannot be checked for files; leave it out")
    if arguments.format and arguments.program is None:
        raise ValueError("--format only applies to --command; leave it out (--outputs reads all formats)")
    if arguments.library:
        return LibraryTarget(arguments.library, conduct, arguments.rule, _options(arguments)), arguments.words
    if arguments.program is not None:
        _check_command(arguments.program)
        file_format = arguments.format or FORMATS[0]
        return CommandTarget(arguments.program, arguments.timeout, conduct, file_format), arguments.words
    if arguments.outputs:
        directory = Path(arguments.outputs)
        if not directory.is_dir():
            raise ValueError(f"there is no directory {directory}")
        if arguments.repeat > 1:
            raise ValueError("--repeat does not apply to files, which hold the results of one run; leave it out")
        return OutputsTarget(directory), arguments.words or [arguments.outputs]
    if not arguments.words:
        raise ValueError("no target; name one: module:function, file.py:function, --library, --command or --outputs")
    name, *words = arguments.words
    if ":" not in name:
        raise ValueError(f"{name!r} names no function; expected module:function or file.py:function")
    kind: Kind | None = arguments.kind or ("torch" if arguments.device != "cpu" else None)
    return NamedTarget(name, kind, arguments.convention, conduct), words


def _check_command(text: str) -> None:
    try:
        words = shlex.split(text)
    except ValueError:  # quotation marks without an end
        words = []
    if not words:
        raise ValueError(f"--command is {text!r}; expected a program and its words, as for a shell")


def _take_over(result: Run, path: Path, cases: list[Case]) -> None:
    """The records of an earlier run, as far as they are of these cases and of the same target, rule and data."""
    if not path.is_file():
        raise ValueError(f"there is no run to resume: {path} does not exist")
    before = Run.load(path)
    for word in ("target", "rule", "options", "seed"):
        mine, theirs = getattr(result, word), getattr(before, word)
        if mine != theirs:
            raise ValueError(
                f"{path} belongs to another run, with the {word} {theirs!r}, not {mine!r}; run without --resume"
            )
    known = {(case.operator, case.name): case for case in cases}
    for record in before.records:
        case = known.get((record.case.operator, record.case.name))
        if case == record.case:  # what has the same name may still be another call
            result.records.append(replace(record, case=case))  # with its data


def _repetition(arguments: argparse.Namespace, case_words: Sequence[str]) -> Repetition:
    """``case_words`` are those of ``arguments.words`` that name cases: operators, files or directories."""
    target = arguments.words[: len(arguments.words) - len(case_words)]
    places = [word for word in case_words if Path(word).exists()]
    cases = [*places, *([OPERATOR] if len(places) < len(case_words) else [])]
    whole = [*arguments.words, *_given(arguments, ("resume",))]
    rest = _given(arguments, ("resume", "only", "report", "json", "jobs"))
    one = " ".join((*map(shlex.quote, target), *(word if word == OPERATOR else shlex.quote(word) for word in cases)))
    ending = " ".join(("--only", CASE, *map(shlex.quote, rest), "--report bug.html"))
    return Repetition(COMMAND + shlex.join(whole), " ".join(part for part in (COMMAND.strip(), one, ending) if part))


def _given(arguments: argparse.Namespace, without: Collection[str]) -> list[str]:
    """The options that are not what they are by default."""
    words: list[str] = []
    for option in _add_options(argparse.ArgumentParser()):
        name, value = option.option_strings[-1], getattr(arguments, option.dest, option.default)
        if option.dest in without or value == option.default:
            continue
        if value is True:
            words.append(name)
            continue
        for one in value if isinstance(value, list) else [value]:
            words += [f"{name}={one}"] if str(one).startswith("-") else [name, str(one)]
    return words
