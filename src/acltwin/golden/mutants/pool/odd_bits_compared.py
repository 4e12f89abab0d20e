"""Compares bit patterns as whole numbers, which turns the order of negative values round."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._pool import Mask, pool
from acltwin.ops.spec import OpSpec

CAUSE = "special values"
SENTENCE = "Compares bit patterns as whole numbers, which turns the order of negative values round."
HELD_OUT = True


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool(operator, tensors, arguments, wins=_wins)


def _wins(value: Array, best: Array, unset: Mask) -> Mask:
    bits = np.int64 if value.dtype == np.float64 else np.int32
    return np.asarray((np.ascontiguousarray(value).view(bits) > np.ascontiguousarray(best).view(bits)) | unset)
