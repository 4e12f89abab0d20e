"""The options of every command that choose cases."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from acltwin.golden.cases.case import Case
from acltwin.golden.cases.cases import MAX_BYTES
from acltwin.golden.cases.family import LEVELS
from acltwin.golden.files import chosen
from acltwin.golden.files.vendor import DATA


def add_case_arguments(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    add = parser.add_argument
    return [
        add("--level", choices=LEVELS, default="default", help="how many cases (default: %(default)s)"),
        add("--dtype", action="append", help="only this dtype; may be given several times"),
        add("--fill", action="append", help="only this kind of data; may be given several times"),
        add("--only", action="append", default=[], help="only cases with this name, or whose names begin with it"),
        add("--seed", type=int, default=0, help="another seed gives other data"),
        add(
            "--map-rule",
            choices=("device", "torch"),
            default="device",
            help="whose rule decides at borders (default: %(default)s)",
        ),
        add("--data", choices=DATA, default="ours", help="for vendors' files: our data on their sizes, or theirs"),
        add("--sheet", help="the sheet of an .xlsx (default: the first)"),
        add("--max-bytes", type=int, default=MAX_BYTES, help="leave out larger cases"),
    ]


def chosen_cases(words: Sequence[str], arguments: argparse.Namespace) -> list[Case]:
    """ValueError, with what is wrong, if a word names no cases; what was left out is said on the error stream."""
    choice = chosen.Choice(
        data=arguments.data,
        seed=arguments.seed,
        map_rule=arguments.map_rule,
        max_bytes=arguments.max_bytes,
        fills=tuple(arguments.fill or ()),
        sheet=arguments.sheet or "",
        level=arguments.level,
        dtypes=tuple(arguments.dtype or ()),
        only=tuple(arguments.only),
    )
    cases = chosen.chosen_cases(words, choice)
    for note in choice.notes:
        print(note, file=sys.stderr)
    return cases
