"""Reads indices as int16 and loses those beyond 32767."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._faults import wrapped
from acltwin.golden.mutants._unpool import unpool
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Reads indices as int16 and loses those beyond 32767."


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, places=wrapped(16))
