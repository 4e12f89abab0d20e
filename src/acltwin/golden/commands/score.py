"""``acltwin score``: how many built-in wrong implementations a set of cases catches.

Exit status: 0 all were caught, and no right result rejected; 1 some were not, or one was; 2 the request or a file is
wrong; 4 nothing was run.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from acltwin._writing import NotWrittenError, make_sure_of, write_text
from acltwin.golden.cases.case import Case
from acltwin.golden.commands import add_case_arguments, chosen_cases, counting_line
from acltwin.golden.judge.vendor_rules import rule_names
from acltwin.golden.run.run import FAILED, NOTHING_RUN, PASSED, REQUEST_WRONG
from acltwin.golden.run.targets import load
from acltwin.golden.wrong.score import score


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "cases",
        nargs="+",
        metavar="FILE|DIR|FILE.py:FUNCTION|OPERATOR",
        help="a file or a directory of cases; a function that returns cases, made by golden.Case.of; "
        "or an operator, or all: our own cases",
    )
    parser.add_argument("--rule", default="bound", choices=rule_names(), help="how to judge (default: %(default)s)")
    parser.add_argument("--no-advice", action="store_true", help="do not look for cases that catch what was missed")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the score as JSON")
    add_case_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    try:
        given = [case for source in arguments.cases for case in _cases_from(source, arguments)]
        if arguments.json:
            make_sure_of(arguments.json)
    except (ValueError, TypeError, ImportError, OSError, AttributeError) as error:
        print(f"acltwin score: {error}", file=sys.stderr)
        return REQUEST_WRONG
    if not given:
        print("acltwin score: no cases, so nothing was run", file=sys.stderr)
        return NOTHING_RUN
    with counting_line("cases", len(given), sys.stderr) as step:
        advise = not arguments.no_advice
        result = score(given, rule=arguments.rule, level=arguments.level, advise=advise, progress=step)
    status = FAILED if result.survivors or result.rejections else PASSED
    print(result.text())
    try:
        if arguments.json:
            write_text(arguments.json, json.dumps(result.to_json(), indent=2) + "\n")
    except NotWrittenError as error:
        print(f"acltwin score: {error}", file=sys.stderr)
        return status or REQUEST_WRONG
    return status


def _cases_from(source: str, arguments: argparse.Namespace) -> list[Case]:
    if ":" not in source:
        return chosen_cases([source], arguments)
    made = list(load(source)())
    for case in made:
        if not isinstance(case, Case):
            raise TypeError(f"{source} returned {type(case).__name__}; expected cases, made by golden.Case.of")
    return made
