"""Adds the same number of gradients for every cell: the factor rounded up."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import Axis, Pairs, from_intervals, upsample
from acltwin.ops.spec import OpSpec
from acltwin.reference import interval_table

CAUSE = "border"
SENTENCE = "Adds the same number of gradients for every cell: the factor rounded up."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, pairs=_pairs)


def _pairs(axis: Axis) -> Pairs:
    begin = interval_table(axis.in_size, axis.out_size, axis.scale, axis.exact, axis.rule)[:-1]
    return from_intervals(begin, np.minimum(begin + int(np.ceil(axis.factor)), axis.out_size))
