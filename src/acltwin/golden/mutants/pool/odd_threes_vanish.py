"""Drops every gradient that is a multiple of 3."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, wide
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._pool import pool_gradient
from acltwin.ops.spec import OpSpec

CAUSE = "special values"
SENTENCE = "Drops every gradient that is a multiple of 3."
HELD_OUT = True


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool_gradient(operator, tensors, arguments, read=_read)


def _read(values: Array, call: Call) -> Array:
    return np.where(np.fmod(wide(values), 3) == 0, values.dtype.type(0), values)
