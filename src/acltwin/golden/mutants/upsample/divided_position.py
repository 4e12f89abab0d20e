"""Divides an output cell's number by the factor instead of multiplying."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import Axis, Pairs, from_source, upsample
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Divides an output cell's number by the factor instead of multiplying."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, pairs=_pairs)


def _pairs(axis: Axis) -> Pairs:
    return from_source(np.floor(axis.outer / axis.factor), axis)
