"""Adds up several elements at one place."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, running_sum
from acltwin.golden.mutants._unpool import unpool
from acltwin.ops.spec import OpSpec

CAUSE = "accumulation"
SENTENCE = "Adds up several elements at one place."
TOLERATED = "Which of several elements at one place stays is not specified on the device, so no case repeats an index."


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, total=running_sum)
