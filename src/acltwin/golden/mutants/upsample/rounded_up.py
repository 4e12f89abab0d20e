"""Rounds every inexact sum away from zero."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, away_from_zero
from acltwin.golden.mutants._upsample import upsample
from acltwin.ops.spec import OpSpec

CAUSE = "rounding"
SENTENCE = "Rounds every inexact sum away from zero."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, finish=away_from_zero)
