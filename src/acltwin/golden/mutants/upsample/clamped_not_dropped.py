"""Adds gradients beyond the last interval to the last cell instead of dropping them."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import Axis, Pairs, from_bounds, upsample
from acltwin.ops.spec import OpSpec
from acltwin.reference import interval_table

CAUSE = "border"
SENTENCE = "Adds gradients beyond the last interval to the last cell instead of dropping them."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, pairs=_pairs)


def _pairs(axis: Axis) -> Pairs:
    bounds = interval_table(axis.in_size, axis.out_size, axis.scale, axis.exact, axis.rule)
    return from_bounds(np.append(bounds[:-1], axis.out_size))
