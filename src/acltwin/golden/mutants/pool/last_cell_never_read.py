"""Never reads the last column of a plane."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._faults import changed
from acltwin.golden.mutants._pool import pool
from acltwin.ops.spec import OpSpec

CAUSE = "border"
SENTENCE = "Never reads the last column of a plane."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool(operator, tensors, arguments, read=_read)


def _read(values: Array, call: Call) -> Array:
    return changed(values, (..., slice(-1, None)), -np.inf) if values.shape[-1] > 1 else values
