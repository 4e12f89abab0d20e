"""Leaves out the last gradient of every interval along W that holds several."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import Axis, Pairs, from_intervals, upsample
from acltwin.ops.spec import OpSpec
from acltwin.reference import interval_table

CAUSE = "border"
SENTENCE = "Leaves out the last gradient of every interval along W that holds several."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, pairs=_pairs)


def _pairs(axis: Axis) -> Pairs:
    bounds = interval_table(axis.in_size, axis.out_size, axis.scale, axis.exact, axis.rule)
    begin, end = bounds[:-1], bounds[1:]
    return from_intervals(begin, end - ((end - begin > 1) & (axis.name == "W")))
