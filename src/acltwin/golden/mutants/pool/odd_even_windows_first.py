"""Adds gradients of odd windows with half their weight."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, wide
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._faults import changed
from acltwin.golden.mutants._pool import pool_gradient
from acltwin.ops.spec import OpSpec

CAUSE = "accumulation"
SENTENCE = "Adds gradients of odd windows with half their weight."
HELD_OUT = True


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool_gradient(operator, tensors, arguments, read=_read)


def _read(values: Array, call: Call) -> Array:
    halved = np.asarray(wide(values[..., 1::2]) / 2, values.dtype)
    return changed(values, (..., slice(1, None, 2)), halved)
