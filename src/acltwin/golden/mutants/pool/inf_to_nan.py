"""Turns infinities into NaN."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._faults import inf_to_nan
from acltwin.golden.mutants._pool import either
from acltwin.ops.spec import OpSpec

CAUSE = "special values"
SENTENCE = "Turns infinities into NaN."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return either(operator, tensors, arguments, read=inf_to_nan)
