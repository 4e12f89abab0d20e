"""Who computed what while PyTorch's operators were replaced."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field

# One for all reports and for the switch: a child that is forked while another thread counts must find it free. And a
# signal or a finalizer may run an operator in a thread that holds it.
LOCK = threading.RLock()
os.register_at_fork(before=LOCK.acquire, after_in_parent=LOCK.release, after_in_child=LOCK.release)


@dataclass
class Calls:
    """The calls of one operator."""

    taken: int = 0  # computed by this library
    taken_seconds: float = 0.0
    passed_on: dict[str, int] = field(default_factory=dict)  # computed by PyTorch: how many, by the reason
    passed_on_seconds: float = 0.0

    @property
    def reasons(self) -> str:
        return ", ".join(f"{count} x {reason}" for reason, count in self.passed_on.items())


class Report:
    """The calls of PyTorch's operators inside of a ``with acltwin.torch.replaced() as report:``, in every thread, or
    between :func:`acltwin.torch.replace` and :func:`acltwin.torch.restore`.

    ``report.operators`` maps the name of each operator that was called to its :class:`Calls`; printed, it is a table.
    A call that was refused is not counted.
    """

    def __init__(self) -> None:
        self.operators: dict[str, Calls] = {}

    def count(self, operator: str, reason: str | None, seconds: float) -> None:
        """One call more: taken if there is no reason why not."""
        with LOCK:
            calls = self.operators.get(operator)
            if calls is None:
                calls = self.operators[operator] = Calls()
            if reason is None:
                calls.taken += 1
                calls.taken_seconds += seconds
            else:
                calls.passed_on[reason] = calls.passed_on.get(reason, 0) + 1
                calls.passed_on_seconds += seconds

    def add(self, other: Report) -> None:
        """Count what another report has counted."""
        for name, calls in other.operators.items():
            total = self.operators.setdefault(name, Calls())
            total.taken += calls.taken
            total.taken_seconds += calls.taken_seconds
            total.passed_on_seconds += calls.passed_on_seconds
            for reason, count in calls.passed_on.items():
                total.passed_on[reason] = total.passed_on.get(reason, 0) + count

    @property
    def seconds(self) -> float:
        """The time inside of all these operators, whoever computed them."""
        return sum(calls.taken_seconds + calls.passed_on_seconds for calls in self.operators.values())

    def __str__(self) -> str:
        if not self.operators:
            return "no operator that acltwin replaces was called"
        wide = max(len(name) for name in self.operators)
        lines = [f"{'operator':{wide}} {'taken':>7} {'ms':>10} {'passed on':>10} {'ms':>10}  why"]
        for name, calls in sorted(self.operators.items()):
            numbers = f"{calls.taken:7} {calls.taken_seconds * 1e3:10.3f}"
            numbers += f" {sum(calls.passed_on.values()):10} {calls.passed_on_seconds * 1e3:10.3f}"
            lines.append(f"{name:{wide}} {numbers}  {calls.reasons}".rstrip())
        return "\n".join(lines)
