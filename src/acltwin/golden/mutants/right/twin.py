"""The library itself."""

from __future__ import annotations

from acltwin.golden.expected import twin
from acltwin.golden.mutants import RIGHT, Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.ops.spec import OpSpec

CAUSE = RIGHT
SENTENCE = "The library itself."


def applies(spec: OpSpec) -> bool:
    return True


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    result: Result = twin(operator, tensors, arguments)
    return result
