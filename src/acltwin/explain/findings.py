"""The findings of ``acltwin check``, and the kinds of them."""

from __future__ import annotations

from acltwin.check.findings import FINDINGS, KINDS, Finding
from acltwin.explain.layout import wrapped


def topics() -> list[str]:
    return [*FINDINGS, *KINDS]


def text(topic: str) -> str | None:
    if topic in FINDINGS:
        return _finding(FINDINGS[topic])
    if topic in KINDS:
        return _kind(topic)
    return None


def _finding(finding: Finding) -> str:
    return "\n".join(
        [
            f"{finding.id}  (a finding of 'acltwin check')",
            "",
            wrapped(finding.what),
            "",
            wrapped(finding.why, "On a device:   "),
            "",
            wrapped(finding.fix, "How to fix it: "),
        ]
    )


def _kind(kind: str) -> str:
    lines = [wrapped(finding.what, f"    {name}: ") for name, finding in FINDINGS.items() if finding.kind == kind]
    return "\n".join([f"{kind}  (a kind of findings of 'acltwin check'; --only {kind})", "", *lines])
