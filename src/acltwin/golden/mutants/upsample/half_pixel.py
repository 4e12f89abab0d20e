"""Takes the cell under the centre (nearest-exact) where plain nearest is meant."""

from __future__ import annotations

from dataclasses import replace

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import right_pairs, upsample
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Takes the cell under the centre (nearest-exact) where plain nearest is meant."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and not spec.is_exact


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, pairs=lambda axis: right_pairs(replace(axis, exact=True)))
