"""Does not clear the sums at the end of a row: its last cell goes into the next row's first one."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._upsample import upsample
from acltwin.ops.spec import OpSpec

CAUSE = "initialisation"
SENTENCE = "Does not clear the sums at the end of a row: its last cell goes into the next row's first one."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, alter=_alter)


def _alter(result: Array, call: Call) -> Array:
    carried = result.copy()
    carried[..., 1:, 0] += result[..., :-1, -1]
    return carried
