"""Adds absolute values."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import upsample
from acltwin.ops.spec import OpSpec

CAUSE = "accumulation"
SENTENCE = "Adds absolute values."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, read=lambda values, call: np.abs(values))
