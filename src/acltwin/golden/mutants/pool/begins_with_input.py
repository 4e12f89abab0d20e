"""Adds to the input instead of zeros."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._pool import pool_gradient
from acltwin.ops.spec import OpSpec

CAUSE = "initialisation"
SENTENCE = "Adds to the input instead of zeros."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool_gradient(operator, tensors, arguments, alter=_alter)


def _alter(result: Array, call: Call) -> Array:
    assert call.input is not None
    return np.asarray(result + call.input)
