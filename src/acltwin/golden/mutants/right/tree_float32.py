"""Adds in float32, two by two and then the pairs."""

from __future__ import annotations

from acltwin.golden.fills import adds
from acltwin.golden.mutants import RIGHT, Result
from acltwin.golden.mutants._arithmetic import Array, tree_sum
from acltwin.golden.mutants._right import right
from acltwin.ops.spec import OpSpec

CAUSE = RIGHT
SENTENCE = "Adds in float32, two by two and then the pairs."


def applies(spec: OpSpec) -> bool:
    return adds(spec)


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return right(operator, tensors, arguments, total=tree_sum)
