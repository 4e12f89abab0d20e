"""Negates every seventh row of the result."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._faults import changed
from acltwin.golden.mutants._pool import either
from acltwin.ops.spec import OpSpec

CAUSE = "accumulation"
SENTENCE = "Negates every seventh row of the result."
HELD_OUT = True


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return either(operator, tensors, arguments, alter=_alter)


def _alter(result: Array, call: Call) -> Array:
    return np.asarray(changed(result, (..., slice(6, None, 7), slice(None)), -result[..., 6::7, :]))
