"""``acltwin compare``: two files, or a result and its case."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from acltwin.golden.cases.case import Case
from acltwin.golden.cases.checked import Count, Name, checked, json_of, short
from acltwin.golden.cases.dtypes import Array
from acltwin.golden.cases.family import resolve, tensor_names
from acltwin.golden.files import tensors as files
from acltwin.golden.files import vendor as formats
from acltwin.golden.files.describe import arguments_from_json, check_arguments
from acltwin.golden.files.vendor import ttk_directory
from acltwin.golden.judge.bound import Accumulate
from acltwin.golden.judge.judge import compare
from acltwin.golden.judge.vendor_rules import rule_names
from acltwin.golden.judge.verdict import Verdict
from acltwin.golden.run.run import FAILED, NOTHING_RUN, PASSED, REQUEST_WRONG
from acltwin.ops import OPERATORS
from acltwin.reference.source_table import MapRule


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("actual", nargs="?", help="the file that a kernel wrote: .npy, with --case also .bin and .pt")
    parser.add_argument("--ttk", metavar="DIR", help="judge the goldens of a TTK directory instead: cases.csv and data")
    parser.add_argument("expected", nargs="?", help=".npy to compare it with; not needed with --case")
    parser.add_argument(
        "--case", metavar="FILE", help="case.json beside the inputs: judge by what a float32 sum can be"
    )
    parser.add_argument("--operator", help="the operator of the case, if the file does not name it")
    parser.add_argument("--dtype", help="bfloat16, if the files hold its bits as uint16")
    parser.add_argument("--rule", choices=rule_names(), default="bound", help="how to judge (default: %(default)s)")


def run(arguments: argparse.Namespace) -> int:
    try:
        if arguments.ttk:
            return _judge_goldens(Path(arguments.ttk), arguments.rule)
        verdict = _verdict(arguments)
    except (ValueError, OSError) as error:
        print(f"acltwin compare: {error}", file=sys.stderr)
        return REQUEST_WRONG
    print(verdict.text())
    return PASSED if verdict.passed else FAILED


def _judge_goldens(directory: Path, rule: str) -> int:
    options = formats.Options()
    verdicts = [case.judge(results, rule) for case, results in ttk_directory.goldens(directory, options)]
    failed = [verdict for verdict in verdicts if not verdict.passed]
    print("\n".join((*options.notes, *(verdict.text() for verdict in failed))), end="\n" if failed else "")
    print(f"{len(verdicts)} goldens in {directory}, {len(failed)} of them wrong by {rule}")
    return FAILED if failed else PASSED if verdicts else NOTHING_RUN


def _verdict(arguments: argparse.Namespace) -> Verdict:
    if not arguments.actual:
        raise ValueError("nothing to compare; give the file that a kernel wrote, or --ttk DIR")
    if arguments.case:
        case = read_case(Path(arguments.case), arguments.operator)
        return case.judge(files.load_result(Path(arguments.actual), *case.result_shapes()[0]), arguments.rule)
    if not arguments.expected:
        raise ValueError("nothing to compare it with; give a second file, or --case FILE")
    actual, expected = (
        files.load_array(Path(path), arguments.dtype) for path in (arguments.actual, arguments.expected)
    )
    return compare(actual, expected, arguments.rule)


@dataclass(frozen=True)
class _Tensor:
    dtype: str
    shape: tuple[Count, ...]


@dataclass(frozen=True)
class _About:
    arguments: Mapping[str, Any]
    tensors: Mapping[str, _Tensor]
    operator: str = ""
    case: Name = "given"
    map_rule: MapRule = "device"
    accumulate: Accumulate = "float32"


def _load(directory: Path, name: str, about: _Tensor) -> Array:
    return files.load_result(files.existing(directory, name), about.dtype, about.shape)


def read_case(path: Path, operator: str | None = None) -> Case:
    """A case that ``files.write_inputs`` wrote: case.json and a file for every tensor."""
    about: _About = checked(_About, json_of(path), str(path))
    spec = OPERATORS[resolve(operator or about.operator)]
    names = tensor_names(spec)
    if sorted(about.tensors) != sorted(names):
        raise ValueError(f"{path} has the tensors {short(sorted(about.tensors))}; expected {', '.join(names)}")
    arguments = arguments_from_json(about.arguments, f"{path}, arguments")
    check_arguments(spec, arguments, f"{path}, arguments")
    tensors = {name: _load(path.parent, name, about.tensors[name]) for name in names}
    case = Case.of(spec.name, tensors, arguments, name=about.case, map_rule=about.map_rule)
    return replace(case, accumulate=about.accumulate)
