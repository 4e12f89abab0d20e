"""Findings as text for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from acltwin.check.findings import KINDS
from acltwin.check.symbols import Frame

MOST_FRAMES = 3


def as_text(finding: dict[str, Any]) -> str:
    """What is wrong, the object and the calls with their places, and how to fix it."""
    thing = finding["object"]
    lines = [f"acltwin check: {finding['id']}", f"  {finding['what']}"]
    if thing is not None:
        lines.append(_labelled(thing["kind"], f"{thing['text']}, made by {_call(thing['made_by'])}"))
    lines += [_labelled(call["role"], _call(call)) for call in finding["calls"]]
    return "\n".join([*lines, _labelled("fix", finding["fix"])])


def summary(findings: Sequence[dict[str, Any]], suppressed: int) -> str:
    """How many findings there are, of which kinds."""
    counts = Counter(finding["kind"] for finding in findings)
    kinds = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])
    found = f"{len(findings)} finding{'s' * (len(findings) != 1)} ({kinds})" if findings else "no findings"
    return f"acltwin check: {found}" + (f", {suppressed} suppressed" if suppressed else "")


def failures(findings: Sequence[dict[str, Any]]) -> str:
    """The calls that have failed, and nobody asked why; empty without any."""
    calls = [(finding["calls"][-1], finding["count"]) for finding in findings if finding["id"] == "use.refused-call"]
    places = ", ".join(f"{call['function']} at {_place(call['site'][0])}" for call, _ in calls if call["site"])
    count = sum(count for _, count in calls)
    failed = f"{count} call{'s' * (count != 1)} failed, and nobody asked why"
    return f"acltwin check: {failed}: {places}" if count else ""


def key_of(finding: dict[str, Any]) -> str:
    """Findings with the same key say the same of the same lines."""
    return "\n".join([finding["id"], *(f"{call['function']} {_places(call)}" for call in calls_of(finding))])


def calls_of(finding: dict[str, Any]) -> list[dict[str, Any]]:
    """All that have a site: those of the finding, and the one that made its object."""
    return [*([finding["object"]["made_by"]] if finding["object"] is not None else []), *finding["calls"]]


def _labelled(label: str, text: str) -> str:
    return f"    {label:<9} {text}"


def _call(call: dict[str, Any]) -> str:
    """Its name, what it does, and where it is, with callers if it is in a function that others call."""
    return f"{call['function']}{call.get('detail', '')} at {_places(call)}"


def _places(call: dict[str, Any]) -> str:
    callers = [frame for frame in call["site"][1:] if _is_known(frame)][: MOST_FRAMES - 1]
    return ", from ".join(map(_place, [*call["site"][:1], *callers])) or "an unknown place"


def _is_known(frame: Frame) -> bool:
    """Other callers are how threads begin."""
    function = frame.get("function", "")
    return function != "" and not function.startswith("std::")


def _place(frame: Frame) -> str:
    function = frame.get("function")
    if "file" in frame:
        return f"{function or '?'} ({_file_name(frame['file'])}:{frame['line']})"
    place = f"{_file_name(frame['library'])}+{frame['offset']:#x}"
    return f"{function} (in {place})" if function else place


def _file_name(path: str) -> str:
    return path.rpartition("/")[2]
