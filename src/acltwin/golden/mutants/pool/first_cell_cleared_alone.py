"""Clears the first cell of the result alone: every other one begins with 1."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._pool import pool_gradient
from acltwin.ops.spec import OpSpec

CAUSE = "initialisation"
SENTENCE = "Clears the first cell of the result alone: every other one begins with 1."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool_gradient(operator, tensors, arguments, alter=_alter)


def _alter(result: Array, call: Call) -> Array:
    stale = np.ones(result.size, result.dtype)
    stale[:1] = 0
    return np.asarray(result + stale.reshape(result.shape))
