"""Takes values beyond 100 for 100."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._unpool import unpool
from acltwin.ops.spec import OpSpec

CAUSE = "special values"
SENTENCE = "Takes values beyond 100 for 100."
HELD_OUT = True


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, read=_read)


def _read(values: Array, call: Call) -> Array:
    return np.asarray(np.minimum(values, values.dtype.type(100)))
