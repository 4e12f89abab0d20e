"""The gallery of mistakes: what the library answers to each call of a list.

A list is a text file. Lines that begin with ``>`` are executed before every call, lines that begin with ``#`` are
headings, and every other line is a call with a mistake: statements separated by ``;``, the last one an expression.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acltwin import acl

FOLDER = Path(__file__).parent / "mistakes"
VARYING = (  # what differs from run to run and from machine to machine
    (re.compile(r"\b0x[0-9a-f]+"), "0x..."),
    (re.compile(r"\b\w+Tracer\(.*?\)"), "Tracer(...)"),
    (re.compile(r"\d+(?=, the memory of this machine)"), "..."),
)


@dataclass
class Mistakes:
    """A list: what is executed first, and the calls under their headings."""

    setup: list[str] = field(default_factory=list)
    groups: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """What came of a call: the exception's type, or the status, and the message."""

    kind: str
    message: str


def read(name: str) -> Mistakes:
    found, heading = Mistakes(), ""
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        if line.startswith(">"):
            found.setup.append(line.removeprefix(">").removeprefix(" "))
        elif line.startswith("# "):
            heading = line.removeprefix("# ")
        elif line:
            found.groups.setdefault(heading, []).append(line)
    return found


def answers(mistakes: Mistakes) -> dict[str, Answer]:
    """By call. ValueError for one that is no mistake."""
    setup = compile("\n".join(mistakes.setup), "<setup>", "exec")
    calls = [call for group in mistakes.groups.values() for call in group]
    return {call: _answer(setup, call) for call in calls}


def _answer(setup: Any, call: str) -> Answer:
    names: dict[str, Any] = {}
    *before, last = ast.parse(call).body
    assert isinstance(last, ast.Expr), call
    with warnings.catch_warnings():
        exec(setup, names)
        acl.get_recent_err_msg()
        try:
            exec(compile(ast.Module(before, []), "<mistake>", "exec"), names)
            value = eval(compile(ast.Expression(last.value), "<mistake>", "eval"), names)
            kind, message = str(value[-1] if isinstance(value, tuple) else value), acl.get_recent_err_msg()
        except Exception as error:
            kind, message = type(error).__name__, str(error)
        finally:
            _end_session()
    if not message:
        raise ValueError(f"{call} is no mistake: it gives {value!r}")
    for pattern, instead in VARYING:
        message = pattern.sub(instead, message)
    return Answer(kind, message)


def _end_session() -> None:
    """Gives back what the setup of a list about the ACL interface took; nothing for other lists."""
    if acl.finalize() == 0:
        while acl.rt.reset_device(0) == 0:
            pass
    acl.get_recent_err_msg()
