"""Does not begin anew with each row of windows: the row before still counts."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._pool import pool
from acltwin.ops.spec import OpSpec

CAUSE = "initialisation"
SENTENCE = "Does not begin anew with each row of windows: the row before still counts."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool(operator, tensors, arguments, alter=_alter)


def _alter(result: Array, call: Call) -> Array:
    return np.asarray(np.maximum(result, np.roll(result, 1, axis=-2)) if result.shape[-2] > 1 else result)
