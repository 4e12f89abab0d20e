"""Spreads an infinity or NaN over its row, as a product with a 0/1 matrix does."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._upsample import upsample
from acltwin.ops.spec import OpSpec

CAUSE = "special values"
SENTENCE = "Spreads an infinity or NaN over its row, as a product with a 0/1 matrix does."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, read=_read)


def _read(values: Array, call: Call) -> Array:
    spoilt = ~np.isfinite(values).all(axis=-1, keepdims=True)
    return np.where(spoilt, values.dtype.type(np.nan), values)
