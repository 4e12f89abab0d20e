"""Overwrites a cell with each gradient instead of adding it: the last one stays."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, last_wins
from acltwin.golden.mutants._upsample import upsample
from acltwin.ops.spec import OpSpec

CAUSE = "accumulation"
SENTENCE = "Overwrites a cell with each gradient instead of adding it: the last one stays."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, total=last_wins)
