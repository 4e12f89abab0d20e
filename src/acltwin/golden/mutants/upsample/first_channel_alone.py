"""Reads the first channel for every channel."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._upsample import upsample
from acltwin.ops.spec import OpSpec

CAUSE = "layout"
SENTENCE = "Reads the first channel for every channel."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, read=_read)


def _read(values: Array, call: Call) -> Array:
    return np.asarray(np.broadcast_to(values[:, :1], values.shape))
