"""Spreads a NaN over its row."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, is_float
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._unpool import unpool
from acltwin.ops.spec import OpSpec

CAUSE = "special values"
SENTENCE = "Spreads a NaN over its row."


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, read=_read)


def _read(values: Array, call: Call) -> Array:
    if not is_float(values):
        return values
    return np.where(np.isnan(values).any(axis=-1, keepdims=True), values.dtype.type(np.nan), values)
