"""``acltwin report``: the HTML report of a run that was recorded earlier, perhaps on another machine."""

from __future__ import annotations

import argparse
import sys

from acltwin.golden.run.run import PASSED, REQUEST_WRONG, Run
from acltwin.golden.wrong.score import Score


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN.json", help="the record that acltwin verify wrote")
    parser.add_argument(
        "--score", metavar="SCORE.json", help="a file of acltwin score --json: adds what the cases do not catch"
    )
    parser.add_argument("-o", "--output", metavar="FILE.html", required=True, help="where to write the report")


def run(arguments: argparse.Namespace) -> int:
    try:
        record = Run.load(arguments.run)
        record.to_html(arguments.output, Score.load(arguments.score) if arguments.score else None)
    except (ValueError, OSError) as error:
        print(f"acltwin report: {error}", file=sys.stderr)
        return REQUEST_WRONG
    print(f"report of {len(record.records)} cases, in {arguments.output}")
    return PASSED
