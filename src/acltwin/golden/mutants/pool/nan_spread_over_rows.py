"""Spreads a NaN over all windows of its row of cells."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._pool import pool
from acltwin.ops.spec import OpSpec

CAUSE = "special values"
SENTENCE = "Spreads a NaN over all windows of its row of cells."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool(operator, tensors, arguments, read=_read)


def _read(values: Array, call: Call) -> Array:
    return np.where(np.isnan(values).any(axis=-1, keepdims=True), values.dtype.type(np.nan), values)
