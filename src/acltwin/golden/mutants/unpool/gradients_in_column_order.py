"""Reads the planes of gradients in column order."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._unpool import unpool
from acltwin.ops.spec import OpSpec

CAUSE = "layout"
SENTENCE = "Reads the planes of gradients in column order."


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, read=_read)


def _read(values: Array, call: Call) -> Array:
    return np.asarray(values.transpose(0, 1, 4, 3, 2).reshape(values.shape))
