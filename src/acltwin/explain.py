"""``acltwin explain``: the story of a status code or of a rule."""

from __future__ import annotations

import argparse
import difflib
import sys
import textwrap
from collections.abc import Iterable

from acltwin.acl import constants
from acltwin.ops import OPERATORS, OpSpec
from acltwin.ops.spec import Rule
from acltwin.status import DOOR_RULES, STATUSES, Status

WIDTH = 100


def _wrapped(text: str, label: str = "") -> str:
    return textwrap.fill(text, WIDTH, initial_indent=label, subsequent_indent=" " * len(label))


def _other_codes() -> dict[int, str]:
    """The codes of the interface that the twin never gives."""
    named = {value: name for name, value in vars(constants).items() if name.startswith(("ACL_ERROR_", "ACLNN_ERR_"))}
    return {code: name for code, name in named.items() if code >= 100000 and code not in STATUSES}


def explain_status(status: Status) -> str:
    """The story of a code, and the rules that give it."""
    parts = [
        f"{status.code}  {status.name}",
        "",
        _wrapped(status.what),
        "",
        _wrapped(status.story),
        "",
        _wrapped(status.fix, "How to fix it: "),
    ]
    if status.example:
        parts += ["", "Example:", textwrap.indent(status.example.rstrip(), "    ")]
    rules = [(spec, rule) for spec in OPERATORS.values() for rule in spec.rules if rule.code == status.code]
    if rules:
        parts += ["", "Rules that give it ('acltwin explain RULE'):"]
        for spec in OPERATORS.values():
            ids = [rule.id for other, rule in rules if other is spec]
            if ids:
                parts.append(_wrapped(", ".join(ids), f"    {spec.name}: "))
    return "\n".join(parts)


def explain_rule(spec: OpSpec, rule: Rule) -> str:
    """One rule of one operator: what it demands, who applies it, and a call that breaks it."""
    judges = {"array": "array functions", "documented": "documented profile", "device": "device profile"}
    position = spec.rules.index(rule) + 1
    broken = ", ".join(f"{name} = {value}" for name, value in rule.violation.items())
    return "\n".join(
        [
            f"{spec.name}.{rule.id}  (rule {position} of {len(spec.rules)} of {spec.c_name})",
            "",
            _wrapped(rule.sentence),
            "",
            _wrapped(f"{rule.code} through aclnn, {rule.exception.__name__} from the array function.", "Status:     "),
            _wrapped(", ".join(judges[judge] for judge in rule.judges), "Applied by: "),
            _wrapped(broken, "Broken by:  "),
        ]
    )


def explain(topic: str) -> str | None:
    """The text for a code, a rule id, or ``operator.rule``; ``None`` if nobody knows it."""
    if topic.isdecimal():
        code = int(topic)
        if code in STATUSES:
            return explain_status(STATUSES[code])
        if code in _other_codes():
            return f"{code}  {_other_codes()[code]}\n\nA code of the interface that the twin never gives."
        return None
    operator, _, rule_id = topic.rpartition(".")
    found = [
        explain_rule(spec, rule)
        for spec in OPERATORS.values()
        for rule in spec.rules
        if rule.id == rule_id and operator in ("", spec.name)
    ]
    if not operator and rule_id in DOOR_RULES:
        found.append(f"{rule_id}  (every operator)\n\n{_wrapped(DOOR_RULES[rule_id])}")
    return "\n\n".join(found) or None


def topics() -> list[str]:
    """Everything that can be asked for."""
    rules = {rule.id for spec in OPERATORS.values() for rule in spec.rules}
    return [*map(str, STATUSES), *map(str, _other_codes()), *sorted(rules | set(DOOR_RULES))]


def _overview() -> Iterable[str]:
    yield "Status codes:"
    for status in STATUSES.values():
        yield f"    {status.code}  {status.name}"
    yield ""
    yield "Rules: those of every operator, then each operator's own, in the order they are checked."
    yield _wrapped(", ".join(DOOR_RULES), "    ")
    for spec in OPERATORS.values():
        yield _wrapped(", ".join(rule.id for rule in spec.rules), f"    {spec.name}: ")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "topics", nargs="*", metavar="TOPIC", help="a status code (161002), a rule (grad_out_dtype), or operator.rule"
    )


def run(arguments: argparse.Namespace) -> int:
    if not arguments.topics:
        print(*_overview(), sep="\n")
        return 0
    status = 0
    for topic in arguments.topics:
        text = explain(topic)
        if text is None:
            close = ", ".join(difflib.get_close_matches(topic, topics(), 4)) or "'acltwin explain' for a list"
            print(f"acltwin explain: nothing is known about '{topic}'; try {close}", file=sys.stderr)
            status = 1
        else:
            print(text)
    return status
