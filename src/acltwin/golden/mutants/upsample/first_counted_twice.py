"""Begins each sum with its first gradient and adds that one again."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places, first_wins, grouped
from acltwin.golden.mutants._upsample import upsample
from acltwin.ops.spec import OpSpec

CAUSE = "accumulation"
SENTENCE = "Begins each sum with its first gradient and adds that one again."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, total=_total)


def _total(values: Array, targets: Places, cells: int) -> Array:
    return grouped(values, targets, cells) + first_wins(values, targets, cells)
