"""Reads a channels-last tensor as channels-first."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._upsample import upsample
from acltwin.ops.spec import OpSpec

CAUSE = "layout"
SENTENCE = "Reads a channels-last tensor as channels-first."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and len(spec.data_formats) > 1


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, read=_read)


def _read(values: Array, call: Call) -> Array:
    return np.asarray(np.ascontiguousarray(call.raw).reshape(values.shape))
