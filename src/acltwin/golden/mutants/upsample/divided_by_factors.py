"""Divides each sum by the product of the factors."""

from __future__ import annotations

import math

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, wide
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._upsample import axes_of, upsample
from acltwin.ops.spec import OpSpec

CAUSE = "accumulation"
SENTENCE = "Divides each sum by the product of the factors."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, alter=_alter)


def _alter(result: Array, call: Call) -> Array:
    product = math.prod(float(axis.factor) for axis in axes_of(call))
    return np.asarray(wide(result) / product, result.dtype)
