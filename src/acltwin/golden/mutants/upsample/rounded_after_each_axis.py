"""Sums axis by axis and rounds to the result's type after each."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, through
from acltwin.golden.mutants._call import parse
from acltwin.golden.mutants._upsample import upsample
from acltwin.ops.spec import OpSpec

CAUSE = "rounding"
SENTENCE = "Sums axis by axis and rounds to the result's type after each."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    dtype = parse(operator, tensors, arguments).raw.dtype
    return upsample(operator, tensors, arguments, between=lambda sums: through(sums, dtype))
