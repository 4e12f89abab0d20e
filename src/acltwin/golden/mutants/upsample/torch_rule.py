"""Maps cells by PyTorch's rule where the device's is asked for, and the other way round."""

from __future__ import annotations

from dataclasses import replace

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import Axis, Pairs, right_pairs, upsample
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Maps cells by PyTorch's rule where the device's is asked for, and the other way round."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, pairs=_pairs)


def _pairs(axis: Axis) -> Pairs:
    return right_pairs(replace(axis, rule="device" if axis.rule == "torch" else "torch"))
