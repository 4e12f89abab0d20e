"""Which cases a command line means: operators, a directory of cases, or a file that describes some."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from acltwin.golden.cases import descriptions
from acltwin.golden.cases.case import Case
from acltwin.golden.cases.cases import MAX_BYTES, case_bytes, cases, selected
from acltwin.golden.cases.family import LEVELS
from acltwin.golden.files import manifest
from acltwin.golden.files.vendor import DATA, read_cases
from acltwin.ops import OPERATORS

VENDOR_FILES = (".csv", ".xlsx", ".json")


def add_case_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--level", choices=LEVELS, default="default", help="how many cases (default: %(default)s)")
    parser.add_argument("--dtype", action="append", help="only this dtype; may be given several times")
    parser.add_argument("--fill", action="append", help="only this kind of data; may be given several times")
    parser.add_argument(
        "--only", action="append", default=[], help="only cases with this name, or whose names begin with it"
    )
    parser.add_argument("--seed", type=int, default=0, help="another seed gives other data")
    parser.add_argument(
        "--map-rule",
        choices=("device", "torch"),
        default="device",
        help="whose rule decides at borders (default: %(default)s)",
    )
    parser.add_argument(
        "--data", choices=DATA, default="ours", help="for vendors' files: our data on their sizes, or theirs"
    )
    parser.add_argument("--sheet", help="the sheet of an .xlsx (default: the first)")
    parser.add_argument("--max-bytes", type=int, default=MAX_BYTES, help="leave out larger cases")


def chosen_cases(words: Sequence[str], arguments: argparse.Namespace) -> list[Case]:
    """ValueError, with what is wrong, if a word is none of them."""
    found: list[Case] = []
    for word in words:
        found += _named(word, arguments)
    if arguments.dtype:
        found = [case for case in found if case.dtype in arguments.dtype]
    return selected(found, arguments.only)


def _named(word: str, arguments: argparse.Namespace) -> list[Case]:
    path = Path(word)
    if path.is_dir():
        return _from_manifest(path, arguments) if (path / manifest.NAME).exists() else read_cases(path, arguments)
    if path.is_file():
        return _from_file(path, arguments)
    if path.suffix in (*VENDOR_FILES, *descriptions.YAML):
        raise ValueError(f"there is no file {word}")
    names = OPERATORS if word == "all" else (word,)
    return [
        case
        for name in names
        for case in cases(
            name,
            level=arguments.level,
            dtypes=arguments.dtype,
            seed=arguments.seed,
            fills=arguments.fill,
            map_rule=arguments.map_rule,
            max_bytes=arguments.max_bytes,
        )
    ]


def _from_manifest(path: Path, arguments: argparse.Namespace) -> list[Case]:
    found = manifest.load(path).cases
    for case in found:
        if case_bytes(case) > arguments.max_bytes:
            raise ValueError(
                f"{path}: {case.operator} {case.name} needs {case_bytes(case)} bytes; expected at most "
                f"{arguments.max_bytes}: allow more with --max-bytes"
            )
    return found


def _from_file(path: Path, arguments: argparse.Namespace) -> list[Case]:
    if manifest.is_manifest(path):
        return _from_manifest(path, arguments)
    if descriptions.is_description(path):
        return descriptions.read(path, seed=arguments.seed, map_rule=arguments.map_rule, max_bytes=arguments.max_bytes)
    if path.suffix in VENDOR_FILES:
        return read_cases(path, arguments)
    raise ValueError(
        f"{path} is not a file of cases; expected a manifest, a .yaml description, or a vendor's .json or .csv"
    )
