"""``acltwin score``: how many built-in wrong implementations a set of cases catches."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from acltwin.golden.case import Case
from acltwin.golden.cases import cases
from acltwin.golden.geometry import LEVELS
from acltwin.golden.names import resolve
from acltwin.golden.rules import rule_names
from acltwin.golden.score import score
from acltwin.ops import OPERATORS

ALL_CAUGHT, SOME_MISSED, WRONG_REQUEST, NOTHING_RUN = 0, 1, 2, 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "cases",
        nargs="+",
        help="FILE.py:FUNCTION or MODULE:FUNCTION, which returns cases (golden.Case.of makes them of your data); "
        "or the name of an operator, or all: our own cases",
    )
    parser.add_argument("--rule", default="bound", choices=rule_names(), help="the rule that judges (bound)")
    parser.add_argument("--level", default="default", choices=LEVELS, help="of our own cases (default)")
    parser.add_argument("--no-advice", action="store_true", help="do not look for cases that catch what was missed")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the score as JSON, too")


def run(arguments: argparse.Namespace) -> int:
    try:
        given = [case for source in arguments.cases for case in _cases_from(source, arguments.level)]
    except (ValueError, TypeError, ImportError, OSError, AttributeError) as error:
        print(f"acltwin score: {error}", file=sys.stderr)
        return WRONG_REQUEST
    if not given:
        print("acltwin score: no cases, so nothing was run", file=sys.stderr)
        return NOTHING_RUN
    result = score(given, rule=arguments.rule, level=arguments.level, advise=not arguments.no_advice)
    print(result.text())
    if arguments.json:
        arguments.json.write_text(json.dumps(result.to_json(), indent=2) + "\n")
    return SOME_MISSED if result.survivors or result.rejections else ALL_CAUGHT


def _cases_from(source: str, level: str) -> Iterable[Case]:
    if source == "all":
        return [case for operator in OPERATORS for case in cases(operator, level=level)]  # type: ignore[arg-type]
    origin, colon, name = source.rpartition(":")
    if not colon:
        return cases(resolve(source), level=level)  # type: ignore[arg-type]
    made = list(getattr(_module(origin), name)())
    for case in made:
        if not isinstance(case, Case):
            raise TypeError(f"{source} returned {type(case).__name__}; expected cases, made by golden.Case.of")
    return made


def _module(origin: str) -> ModuleType:
    if not origin.endswith(".py"):
        return importlib.import_module(origin)
    path = Path(origin)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise FileNotFoundError(f"there is no file {origin}; expected FILE.py:FUNCTION")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
