"""``acltwin golden``: write cases, with inputs and expected results, to a directory."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from acltwin.golden.cases.case import Case
from acltwin.golden.commands import add_case_arguments, chosen_cases, counting_line
from acltwin.golden.files import manifest
from acltwin.golden.files import vendor as formats
from acltwin.golden.files.tensors import FORMATS
from acltwin.golden.run.run import NOTHING_RUN, PASSED, REQUEST_WRONG


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what", nargs="*", metavar="OPERATOR|FILE", help="operators by any of their names, all, or files"
    )
    parser.add_argument("-o", "--output", metavar="DIR", help="directory to write")
    parser.add_argument(
        "--from",
        dest="source",
        metavar="MANIFEST",
        help="make the cases of a manifest again, and check that the bytes are the same",
    )
    parser.add_argument(
        "--format",
        choices=(*FORMATS, *formats.writers()),
        default="npy",
        help="format of the tensors, or a vendor format (default: %(default)s)",
    )
    parser.add_argument("--keep-bound", action="store_true", help="also write the magnitudes and counts of the bound")
    parser.add_argument(
        "--accumulate",
        choices=("float32", "float64"),
        default="float32",
        help="the type in which a right kernel adds; the set is judged accordingly (default: %(default)s)",
    )
    parser.add_argument("--list", action="store_true", help="only list the cases")
    add_case_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    try:
        return _run(arguments)
    except (ValueError, OSError) as error:
        print(f"acltwin golden: {error}", file=sys.stderr)
        return REQUEST_WRONG


def _run(arguments: argparse.Namespace) -> int:
    made = manifest.load(Path(arguments.source), arguments.max_bytes) if arguments.source else None
    cases = made.cases if made else chosen_cases(arguments.what, arguments)
    if not made:
        cases = [replace(case, accumulate=arguments.accumulate) for case in cases]
    if not cases:
        print("acltwin golden: no case was chosen; name operators, or all", file=sys.stderr)
        return NOTHING_RUN
    if arguments.list:
        _list(cases)
        return PASSED
    if not arguments.output:
        raise ValueError("no directory to write to; give -o DIR, or --list to see the names")
    if arguments.format in formats.writers():
        return _write_vendor_file(cases, arguments.output, arguments.format)
    with counting_line("cases", len(cases), sys.stderr) as step:
        written = manifest.write(
            cases,
            Path(arguments.output),
            file_format=arguments.format,
            level=made.level if made else arguments.level,
            seed=made.seed if made else arguments.seed,
            keep_bound=arguments.keep_bound,
            hashes=made.hashes if made else None,
            progress=step,
        )
    print(f"{len(cases)} case{'s' * (len(cases) != 1)}, {written / 1e6:.1f} MB, in {arguments.output}")
    _mention_others(Path(arguments.output))
    return PASSED


def _mention_others(directory: Path) -> None:
    """Files of an earlier use: results among them would be judged as results of this set."""
    content = manifest.content_of(directory / manifest.NAME)
    own = {directory / tensor.file for case in content.cases for tensor in case.tensors}
    others = [
        path
        for folder in ("cases", "outputs")
        for path in sorted((directory / folder).rglob("*"))
        if path.is_file() and path not in own
    ]
    if others:
        print(
            f"acltwin golden: {directory} was used before: {len(others)} files are not of this set, such as "
            f"{others[-1]}; verify --outputs would read results among them, so delete those or write elsewhere",
            file=sys.stderr,
        )


def _write_vendor_file(cases: Sequence[Case], output: str, format_name: str) -> int:
    written = formats.write(cases, output, format_name)
    for case, reason in written.left_out:
        print(f"{case} was left out: {reason}", file=sys.stderr)
    size = f", {written.bytes / 1e6:.1f} MB" if written.bytes else ""
    print(f"{written.entries} cases{size}, in {output}")
    return PASSED if written.entries else NOTHING_RUN


def _list(cases: Sequence[Case]) -> None:
    for case in cases:
        share = f"  covers {case.share:.0%} of the sources" if case.share < 1 else ""
        print(f"{case.operator}  {case.name}{share}")
