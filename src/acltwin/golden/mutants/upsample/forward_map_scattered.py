"""Scatters through the forward pass's map instead of collecting by intervals."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import Axis, Pairs, upsample
from acltwin.ops.spec import OpSpec
from acltwin.reference import source_table

CAUSE = "index rule"
SENTENCE = "Scatters through the forward pass's map instead of collecting by intervals."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, pairs=_pairs)


def _pairs(axis: Axis) -> Pairs:
    source = source_table(axis.in_size, axis.out_size, axis.scale, axis.exact, axis.rule)
    return source, np.arange(axis.out_size)
