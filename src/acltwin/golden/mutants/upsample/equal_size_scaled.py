"""Uses a given scale along an axis whose size stays, where the device copies."""

from __future__ import annotations

from dataclasses import replace

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import parse
from acltwin.golden.mutants._upsample import Axis, Pairs, right_pairs, upsample
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Uses a given scale along an axis whose size stays, where the device copies."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and not spec.is_gradient and not spec.scales_together


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    call = parse(operator, tensors, arguments)

    def pairs(axis: Axis) -> Pairs:
        given = call.arguments.get(f"scales_{axis.name.lower()}")
        return right_pairs(replace(axis, scale=given or None))

    return upsample(operator, tensors, arguments, pairs=pairs)
