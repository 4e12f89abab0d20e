"""Leaves the last window along W at 0."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._faults import changed
from acltwin.golden.mutants._pool import pool
from acltwin.ops.spec import OpSpec

CAUSE = "border"
SENTENCE = "Leaves the last window along W at 0."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool(operator, tensors, arguments, alter=_alter)


def _alter(result: Array, call: Call) -> Array:
    return np.asarray(changed(result, (..., slice(-1, None)), 0))
