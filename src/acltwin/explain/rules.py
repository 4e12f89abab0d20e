"""The rules of the operators, and those of the interface itself."""

from __future__ import annotations

from acltwin.explain.layout import wrapped
from acltwin.explain.refusals import message_of
from acltwin.ops import INTERFACES, OpSpec
from acltwin.ops.spec import Rule, TensorCase, Value
from acltwin.status import DOOR_RULES

JUDGES = {"array": "array functions", "documented": "documented profile", "device": "device profile"}


def topics() -> list[str]:
    own = [
        (spec.name, rule_id)
        for spec in INTERFACES.values()
        for rule in spec.rules
        for rule_id in dict.fromkeys((rule.id, spec.array_id(rule)))
    ]
    ids = sorted({rule for _, rule in own} | set(DOOR_RULES))
    return [*ids, *(f"{operator}.{rule}" for operator, rule in own)]


def text(topic: str) -> str | None:
    """A rule's id, or ``operator.rule``. Operators that say the same of an id share a paragraph."""
    operator, _, rule_id = topic.rpartition(".")
    groups: dict[tuple[str, int], list[tuple[OpSpec, Rule]]] = {}
    specs = [spec for spec in INTERFACES.values() if operator in ("", spec.name)]
    for spec in specs:
        for rule in spec.rules:
            if rule_id in (rule.id, spec.array_id(rule)):
                groups.setdefault((rule.sentence, rule.code), []).append((spec, rule))
    found = [_explain(group) for group in groups.values()]
    if not operator and rule_id in DOOR_RULES:
        found.append(f"{rule_id}  (every operator)\n\n{wrapped(DOOR_RULES[rule_id])}")
    return "\n\n".join(found) or None


def _explain(group: list[tuple[OpSpec, Rule]]) -> str:
    """What a rule demands, who applies it, a call that breaks it, and what is said to it."""
    spec, rule = group[0]
    message, _, fix = message_of(spec, rule).rpartition(" [")[0].partition("; ")
    broken = ", ".join(f"{name} = {_in_words(value)}" for name, value in rule.violation.items())
    raised = f", {rule.raises.__name__} from the array function" if "array" in rule.judges else ""
    others = ", ".join(other.name for other, _ in group[1:])
    array_id = spec.array_id(rule)
    return "\n".join(
        [
            f"{spec.name}.{rule.id}  (rule {spec.rules.index(rule) + 1} of {len(spec.rules)} of {spec.c_name})",
            *([f"{spec.name}.{array_id} in messages of the array function"] if array_id != rule.id else []),
            *([wrapped(others, "the same for ")] if others else []),
            "",
            wrapped(rule.sentence),
            "",
            wrapped(f"{rule.code} through aclnn{raised}", "Status:        "),
            wrapped(", ".join(JUDGES[judge] for judge in rule.judges), "Applied by:    "),
            wrapped(broken, "Broken by:     "),
            wrapped(message, "Message:       "),
            *([wrapped(fix[0].upper() + fix[1:], "How to fix it: ")] if fix else []),
        ]
    )


def _in_words(value: Value | str) -> str:
    if value is None:
        return "null"
    if not isinstance(value, TensorCase):
        return str(value)
    strides = f", strides {value.strides}" if value.strides is not None else ""
    values = f", values {' '.join(f'{number:g}' for number in value.values)}" if value.values is not None else ""
    return f"{value.dtype} tensor of shape {value.shape}, format {value.format}{strides}{values}"
