"""Reads the tensor as if H and W were swapped."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._faults import axes_swapped
from acltwin.golden.mutants._upsample import upsample
from acltwin.ops.spec import OpSpec

CAUSE = "layout"
SENTENCE = "Reads the tensor as if H and W were swapped."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, read=axes_swapped(-1, -2))
