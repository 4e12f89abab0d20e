"""Adds along W, but overwrites along H: the last row of an interval stays."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import Axis, Pairs, right_pairs, upsample
from acltwin.ops.spec import OpSpec

CAUSE = "accumulation"
SENTENCE = "Adds along W, but overwrites along H: the last row of an interval stays."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, pairs=_pairs)


def _pairs(axis: Axis) -> Pairs:
    inner, outer = right_pairs(axis)
    if axis.name != "H":
        return inner, outer
    last = np.append(inner[1:] != inner[:-1], True)
    return inner[last], outer[last]
