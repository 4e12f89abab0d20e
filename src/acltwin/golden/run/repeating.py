"""The words that repeat a run, and those that repeat one case of it: to be pasted as they are."""

from __future__ import annotations

import inspect
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from acltwin.golden.cases.case import Case
from acltwin.golden.cases.family import family_of

COMMAND = "acltwin verify "
OPERATOR, CASE = "{operator}", "{case}"  # what a name is put in for


@dataclass(frozen=True)
class Repetition:
    """A command line or Python code. ``one_case`` holds ``{operator}`` and ``{case}`` for names."""

    whole: str = ""
    one_case: str = ""

    def of_case(self, operator: str, case: str) -> str:
        """Empty if nobody knows how."""
        quoted = shlex.quote if self.one_case.startswith(COMMAND) else repr
        return self.one_case.replace(OPERATOR, quoted(operator)).replace(CASE, quoted(case))


WITHOUT_EFFECT = ("progress", "jobs", "explain_seconds")  # on verdicts
CHOOSING = ("level", "dtypes", "seed", "map_rule", "only")  # options of golden.verify that choose cases


def of_call(
    function: Callable[..., Any], kernel: Callable[..., Any], what: str | Sequence[Case], given: Mapping[str, Any]
) -> Repetition:
    """The call ``function(kernel, what, **given)``; only what differs from the defaults is written."""
    parameters = inspect.signature(function).parameters
    changed = {
        name: value
        for name, value in given.items()
        if name not in WITHOUT_EFFECT and (name not in parameters or value != parameters[name].default)
    }
    name, lines = _imported(kernel)
    if isinstance(what, str):
        whole = f"golden.verify({name}, {what!r}{_written(changed)})"
        narrowed = {"level": given["level"], **changed}
    else:
        lines += _chosen(what)
        others = {name: value for name, value in changed.items() if name not in CHOOSING}
        whole = f"golden.verify({name}, cases{_written(others)})"
        narrowed = {**_choice(what), **others} if _are_ours(what) else {}
    lines = ["from acltwin import golden", *lines, whole]
    if not narrowed:
        return Repetition("\n".join(lines))
    rest = _written({name: value for name, value in narrowed.items() if name != "only"})
    return Repetition("\n".join(lines), f"golden.verify({name}, {OPERATOR}, only={CASE}{rest}).to_html('bug.html')")


def _written(options: Mapping[str, Any]) -> str:
    return "".join(f", {name}={_word(value)}" for name, value in options.items())


def _word(value: Any) -> str:
    """Functions by their names; three dots for one that has none, which Python refuses plainly."""
    if not callable(value):
        return repr(value)
    name = getattr(value, "__name__", "")
    return name if name.isidentifier() else "..."


def _imported(kernel: Callable[..., Any]) -> tuple[str, list[str]]:
    """The name by which a function can be called, and the line that makes it known."""
    module = getattr(kernel, "__module__", None) or type(kernel).__module__
    name = getattr(kernel, "__qualname__", type(kernel).__name__)
    if name.isidentifier() and module != "__main__" and hasattr(sys.modules.get(module), name):
        return name, [f"from {module} import {name}"]
    short = name.rpartition(".")[2]
    called = short if short.isidentifier() else "kernel"
    return called, [f"# {called} is {module}:{name}"]


def _are_ours(cases: Sequence[Case]) -> bool:
    """Whether ``golden.cases`` makes them all, in one call."""
    if len({(case.operator, case.seed, case.map_rule) for case in cases}) != 1:
        return False
    spec = cases[0].spec
    known = family_of(spec).geometries(spec)
    return all(case.geometry in known and case.make is None for case in cases)


def _choice(cases: Sequence[Case]) -> dict[str, Any]:
    """The options of ``golden.cases`` that make them, and more."""
    dtypes = tuple(dict.fromkeys(case.dtype for case in cases))
    return {"level": "full", "dtypes": dtypes, "seed": cases[0].seed, "map_rule": cases[0].map_rule}


def _chosen(cases: Sequence[Case]) -> list[str]:
    if not _are_ours(cases):
        return ["# cases are those of the table below"]
    names = tuple(case.name for case in cases)
    made = f"golden.cases({cases[0].operator!r}{_written(_choice(cases))})"
    return [f"names = {names!r}", f"cases = [case for case in {made} if case.name in names]"]
