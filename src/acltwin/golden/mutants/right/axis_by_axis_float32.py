"""Adds in float32 along one axis after the other."""

from __future__ import annotations

from acltwin.golden.mutants import RIGHT, Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import upsample
from acltwin.ops.spec import OpSpec

CAUSE = RIGHT
SENTENCE = "Adds in float32 along one axis after the other."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, between=lambda sums: sums)
