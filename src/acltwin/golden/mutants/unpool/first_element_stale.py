"""Never writes the first element of the result, which holds 1."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._faults import changed
from acltwin.golden.mutants._unpool import unpool
from acltwin.ops.spec import OpSpec

CAUSE = "initialisation"
SENTENCE = "Never writes the first element of the result, which holds 1."


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, alter=_alter)


def _alter(result: Array, call: Call) -> Array:
    return np.asarray(changed(result.reshape(-1), slice(0, 1), 1).reshape(result.shape))
