"""Rounds an output cell's position to the nearest instead of down."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import from_source, upsample
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Rounds an output cell's position to the nearest instead of down."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, pairs=lambda axis: from_source(np.rint(axis.outer * axis.step), axis))
