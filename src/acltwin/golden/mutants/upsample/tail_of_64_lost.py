"""Works in tiles of 64 along W and never writes the last, partial one, unless it is the only one."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._faults import tail_lost
from acltwin.golden.mutants._upsample import upsample
from acltwin.ops.spec import OpSpec

CAUSE = "tiling"
SENTENCE = "Works in tiles of 64 along W and never writes the last, partial one, unless it is the only one."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, alter=tail_lost(64))
