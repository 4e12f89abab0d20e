"""The command line: chooses, runs, prints, writes."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bench.cases import OPERATORS
from bench.results import PEERS, REGIMES, Report, RowResult, known_rows

if TYPE_CHECKING:
    from bench.runner import Selection

FAMILIES = {spec.family for spec in OPERATORS.values()}
DESCRIPTION = (
    "Measure the operators against PyTorch, in turns, in one run, on rows drawn at random. "
    "Results are checked before they are timed. The tables go to standard output, progress to standard error."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", metavar="N", type=_count, default=100, help="how many rows to draw (default: 100)")
    parser.add_argument("--seed", type=int, help="draw the rows of this seed again (default: a new seed, printed)")
    parser.add_argument("--grid", action="store_true", help="the fixed rows instead, with tiny calls and memory")
    parser.add_argument(
        "--filter", metavar="TEXT", default="", help="only rows with all these words: 'exact3d float16 large threads=2'"
    )
    drawn = parser.add_mutually_exclusive_group()
    drawn.add_argument("--operators", metavar="NAME", nargs="+", help="draw rows of these operators only")
    drawn.add_argument("--family", nargs="+", choices=sorted(FAMILIES), help="draw rows of these families only")
    parser.add_argument(
        "--cpu-time",
        action="store_true",
        help="every row on one thread, in CPU time of that thread: for a machine that does other work as well",
    )
    parser.add_argument("--list", action="store_true", help="print what would be measured, and stop")
    parser.add_argument(
        "--regime",
        choices=("quiet", "in-place", "both"),
        default="both",
        help="each side's calls in a row after a rest, or each call behind a PyTorch operator as in a training step",
    )
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=[], help="other libraries, beside PyTorch, quiet")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write every figure to FILE as well, after each row")
    parser.add_argument(
        "--resume", action="store_true", help="keep the rows that FILE of --json already has, measure only the others"
    )
    parser.add_argument(
        "--csv", metavar="FILE", type=Path, help="write a line for each row to FILE as well, at the end"
    )
    parser.add_argument(
        "--write-docs",
        metavar="FILE",
        type=Path,
        nargs="+",
        default=[],
        help="put the tables, or their summary, into each FILE, between its marker lines",
    )


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"expected a number from 1 on, got {text!r}")
    return int(text)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=DESCRIPTION)
    add_arguments(parser)
    return run(parser.parse_args(argv))


def run(arguments: argparse.Namespace) -> int:
    """0 when all that was asked for could be measured, 1 when a result was wrong, 2 when nothing can be measured."""
    # Imported here: `--help` has no need of them.
    from bench.docs_page import replace_parts
    from bench.report import markdown, summary
    from bench.rows_csv import csv_text
    from bench.runner import measure

    if arguments.resume and not arguments.grid and arguments.seed is None:
        print("--resume: expected --seed beside it, that of the rows to go on with", file=sys.stderr)
        return 2
    try:
        selection = _selection(arguments)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    if not selection.labels:
        print(f"no row has all the words of {arguments.filter!r}; --list shows the rows", file=sys.stderr)
        return 2
    print(selection.text, file=sys.stderr)
    if arguments.list:
        print("\n".join(selection.labels))
        return 0
    known: list[RowResult] = []
    if arguments.resume:
        try:
            known = _earlier_rows(arguments.json, selection)
        except ValueError as error:
            print(f"--resume: {error}", file=sys.stderr)
            return 2

    def save(report: Report) -> None:
        if arguments.json:
            arguments.json.write_text(json.dumps(report.as_json(), indent=1) + "\n", encoding="utf-8")

    report = measure(selection, known, save)
    save(report)
    tables = markdown(report)
    print(tables, end="")
    if arguments.csv:
        arguments.csv.write_text(csv_text(report), encoding="utf-8")
    for page in arguments.write_docs:
        replace_parts(page, {"summary": summary(report), "tables": tables})
    return 1 if report.failures else 0


def _selection(arguments: argparse.Namespace) -> Selection:
    from bench.runner import fixed, on_one_thread, sampled

    regimes = [regime for regime in REGIMES if arguments.regime in (regime, "both")]
    if arguments.grid:
        selection = fixed(arguments.filter, regimes, arguments.peers)
    else:
        seed = secrets.randbelow(1 << 32) if arguments.seed is None else arguments.seed
        selection = sampled(arguments.rows, seed, arguments.filter, regimes, arguments.peers, _operators(arguments))
    return on_one_thread(selection) if arguments.cpu_time else selection


def _operators(arguments: argparse.Namespace) -> list[str]:
    if unknown := set(arguments.operators or ()) - set(OPERATORS):
        names = ", ".join(sorted(unknown))
        raise ValueError(f"--operators: got {names}, expected operators that PyTorch has as well; see --list")
    families = arguments.family or FAMILIES
    return [
        name
        for name, spec in OPERATORS.items()
        if name in (arguments.operators or OPERATORS) and spec.family in families
    ]


def _earlier_rows(figures: Path | None, selection: Selection) -> list[RowResult]:
    from bench.environment import environment

    if figures is None:
        raise ValueError("expected --json FILE beside it, the file to go on with")
    if not figures.exists():
        return []
    try:
        return known_rows(json.loads(figures.read_text(encoding="utf-8")), environment(), selection.rows)
    except (KeyError, TypeError) as error:
        raise ValueError(f"{figures} is not a file that --json has written ({error!r})") from error
