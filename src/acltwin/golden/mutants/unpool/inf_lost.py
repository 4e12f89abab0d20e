"""Treats infinities as 0."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, is_float
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._unpool import unpool
from acltwin.ops.spec import OpSpec

CAUSE = "special values"
SENTENCE = "Treats infinities as 0."


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, read=_read)


def _read(values: Array, call: Call) -> Array:
    return np.where(np.isinf(values), values.dtype.type(0), values) if is_float(values) else values
