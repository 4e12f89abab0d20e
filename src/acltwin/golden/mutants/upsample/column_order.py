"""Writes every plane in column order."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._upsample import upsample
from acltwin.ops.spec import OpSpec

CAUSE = "layout"
SENTENCE = "Writes every plane in column order."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, alter=_alter)


def _alter(result: Array, call: Call) -> Array:
    spatial = range(2, result.ndim)
    return result.transpose(0, 1, *reversed(spatial)).reshape(result.shape)
