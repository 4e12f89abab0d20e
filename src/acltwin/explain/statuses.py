"""Status codes, by number and by name, and the frames in which messages of the ACL interface stand."""

from __future__ import annotations

from acltwin.acl import constants
from acltwin.explain.layout import indented, wrapped
from acltwin.ops import OPERATORS
from acltwin.status import STATUSES, Status

SUCCESS = (
    "The call succeeded. For a launch this means that the work is queued: a kernel that fails is reported when its "
    "stream is synchronised. There is nothing to fix."
)

# Codes of the device's own runtime that people look for; code -> (name, what it means there, what is given here).
OF_THE_DEVICE = {
    507011: ("ACL_ERROR_RT_MODEL_EXECUTE", "executing a model failed", "There are no models here."),
    507014: ("ACL_ERROR_RT_AICORE_TIMEOUT", "a kernel took too long", "Kernels have no time limit here."),
    507018: (
        "ACL_ERROR_RT_AICPU_EXCEPTION",
        "a kernel of the AI CPU failed, often because an index or an address was wrong",
        "Here a kernel that fails gives 507015, with a message that names the index or the block.",
    ),
    507035: (
        "ACL_ERROR_RT_VECTOR_CORE_EXCEPTION",
        "a kernel of the vector cores failed, often because it read or wrote outside of its memory",
        "Here a kernel that fails gives 507015, with a message that names the index or the block.",
    ),
    507899: (
        "ACL_ERROR_RT_DRV_INTERNAL_ERROR",
        "the driver failed",
        "There is no driver here.",
    ),
}

# What a message begins with -> which codes come in it. The vendor's words, which log filters look for.
FRAMES = {
    "EZ1001": ("AclNN_Parameter_Error", "an argument of an operator is rejected", (161001, 161002)),
    "EZ9999": ("AclNN_Inner_Error", "an executor or a tensor's view is unusable", (561000, 561103)),
    "EZ9903": ("AclNN_Runtime_Error", "a runtime function failed, or work that was queued", ()),
}


def _codes() -> dict[str, int]:
    """Every code of the interface, by name."""
    return {name: value for name, value in vars(constants).items() if name.startswith(("ACL_ERROR_", "ACLNN_ERR_"))}


def _given() -> list[str]:
    return [word for status in STATUSES.values() for word in (str(status.code), status.name)]


def topics() -> list[str]:
    others = [word for name, code in _codes().items() if code >= 100000 for word in (str(code), name)]
    others += [word for code, (name, _, _) in OF_THE_DEVICE.items() for word in (str(code), name)]
    frames = [word for number, (name, _, _) in FRAMES.items() for word in (number, name, f"{name}({number})")]
    return list(dict.fromkeys([*_given(), *others, *frames, "0", "ACL_SUCCESS", "ACL_ERROR_NONE"]))


def text(topic: str) -> str | None:
    if topic in ("0", "ACL_SUCCESS", "ACL_ERROR_NONE"):
        return f"0  ACL_SUCCESS, ACL_ERROR_NONE\n\n{wrapped(SUCCESS)}"
    for number, (name, meaning, codes) in FRAMES.items():
        if topic in (number, name, f"{name}({number})"):
            return _frame(f"{name}({number})", meaning, codes)
    code = int(topic) if topic.isdecimal() else _codes().get(topic)
    if code is not None and code in STATUSES:
        return explain_status(STATUSES[code])
    for number_there, (name, there, here) in OF_THE_DEVICE.items():
        if topic in (str(number_there), name):
            story = f"A status of the device's runtime: {there}. acltwin never returns it. {here}"
            return f"{number_there}  {name}\n\n{wrapped(story)}"
    names = [name for name, value in _codes().items() if value == code]
    return f"{code}  {names[0]}\n\nA status of the ACL interface. acltwin never returns it." if names else None


def _frame(title: str, meaning: str, codes: tuple[int, ...]) -> str:
    story = (
        f"Messages of the ACL interface begin with this where {meaning}. They end with the status and, where there "
        "is one, the rule, in brackets."
    )
    listed = ", ".join(map(str, codes)) or "see 'acltwin explain' for all codes"
    fix = "Read the sentence behind it, then 'acltwin explain' what stands in the brackets."
    return "\n".join([title, "", wrapped(story), "", f"Codes: {listed}", "", wrapped(fix, "How to fix it: ")])


def explain_status(status: Status) -> str:
    """What a code means, and the rules that give it."""
    parts = [
        f"{status.code}  {status.name}",
        "",
        wrapped(status.what),
        "",
        wrapped(status.story),
        "",
        wrapped(status.fix, "How to fix it: "),
    ]
    if status.example:
        parts += ["", "Example:", indented(status.example)]
    rules = {
        spec.name: [rule.id for rule in spec.rules if rule.code == status.code]
        for spec in OPERATORS.values()
        if any(rule.code == status.code for rule in spec.rules)
    }
    if rules:
        parts += ["", "Rules that give it ('acltwin explain RULE'):"]
        parts += [wrapped(", ".join(ids), f"    {name}: ") for name, ids in rules.items()]
    return "\n".join(parts)
