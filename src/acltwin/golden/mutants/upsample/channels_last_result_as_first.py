"""Writes a channels-last result as channels-first."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._upsample import upsample
from acltwin.ops.spec import OpSpec

CAUSE = "layout"
SENTENCE = "Writes a channels-last result as channels-first."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and len(spec.data_formats) > 1


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, alter=_alter)


def _alter(result: Array, call: Call) -> Array:
    if not call.channels_last:
        return result
    n, c, *sizes = result.shape
    return np.moveaxis(result.reshape(n, *sizes, c), -1, 1)
