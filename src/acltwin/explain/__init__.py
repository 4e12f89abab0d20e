"""``acltwin explain``: what a word in acltwin's messages means, and how to fix what it reports."""

from __future__ import annotations

import argparse
import difflib
import functools
import importlib
import re
import sys
from collections.abc import Iterable
from types import ModuleType

from acltwin.explain.layout import wrapped

# Modules with ``topics() -> list[str]`` and ``text(topic) -> str | None``, asked in this order.
SOURCES = ("statuses", "rules", "words", "findings", "mistakes")

BRACKETS = re.compile(r"\[(?:\d{6}, rule )?(\w+)\]\s*$")


def _sources() -> list[ModuleType]:
    return [importlib.import_module(f"{__name__}.{name}") for name in SOURCES]


def explain(topic: str) -> str | None:
    """The text for a word, in capitals or not, or for a whole message; ``None`` if it is unknown."""
    topic = topic.strip()
    for source in _sources():
        text: str | None = source.text(topic)
        if text is not None:
            return text
    known = _folded().get(topic.casefold(), topic)
    if known != topic:
        return explain(known)
    return _explain_message(topic)


def _explain_message(message: str) -> str | None:
    """A message that was pasted as it is: what its brackets name, for its operator if it says which."""
    brackets = BRACKETS.search(message)
    if brackets is None:
        return None
    from acltwin.ops import INTERFACES

    for spec in INTERFACES.values():
        if re.search(rf"\b({spec.name}|{spec.c_name}|{spec.phase1_name}):", message):
            text = explain(f"{spec.name}.{brackets[1]}")
            if text is not None:
                return text
    return explain(brackets[1])


@functools.cache
def _folded() -> dict[str, str]:
    return {name.casefold(): name for name in reversed(topics())}


def topics() -> list[str]:
    """Everything that can be asked for."""
    return [topic for source in _sources() for topic in source.topics()]


def _overview() -> Iterable[str]:
    from acltwin.check.findings import FINDINGS, KINDS
    from acltwin.explain.words import VARIABLES
    from acltwin.ops import INTERFACES
    from acltwin.status import DOOR_RULES, STATUSES

    yield "Ask for any of these words, or paste a whole message: acltwin explain TOPIC"
    yield ""
    yield "Status codes:"
    for status in STATUSES.values():
        yield f"    {status.code}  {status.name}"
    yield ""
    yield "Environment variables:"
    yield wrapped(", ".join(VARIABLES), "    ")
    yield ""
    yield "Rules: those of every operator, then each operator's own, in the order they are checked."
    yield wrapped(", ".join(DOOR_RULES), "    ")
    for spec in INTERFACES.values():
        yield wrapped(", ".join(rule.id for rule in spec.rules), f"    {spec.name}: ")
    yield ""
    yield "Findings of 'acltwin check':"
    for kind in KINDS:
        yield wrapped(", ".join(name for name, finding in FINDINGS.items() if finding.kind == kind), "    ")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "topics",
        nargs="*",
        metavar="TOPIC",
        help="a status (161002, ACLNN_ERR_PARAM_INVALID), a rule (grad_out_dtype, operator.rule), an operator, an "
        "environment variable, a finding of 'acltwin check' (race.kernels), a mistake that 'acltwin verify' named, or "
        "a whole message in quotes; nothing: a list",
    )


def _like(word: str) -> list[str]:
    """Topics that look like the word, or else contain it; rules of operators only if it has a dot."""
    known = [topic for topic in topics() if "." in word or "." not in topic]
    containing = sorted((topic for topic in known if word.casefold() in topic.casefold()), key=len)
    return difflib.get_close_matches(word, known, 4) or containing[:4]


def run(arguments: argparse.Namespace) -> int:
    if not arguments.topics:
        print(*_overview(), sep="\n")
        return 0
    status = 0
    for number, topic in enumerate(arguments.topics):
        text = explain(topic)
        if text is None:
            close = ", ".join(_like(topic)) or "'acltwin explain' for a list"
            print(f"acltwin explain: nothing is known about '{topic}'; try {close}", file=sys.stderr)
            status = 1
        else:
            print("\n" * (number > 0) + text)
    return status
