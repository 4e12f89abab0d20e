"""Reads rows as if each began at a multiple of 32 bytes."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call, flat_planes
from acltwin.golden.mutants._upsample import upsample
from acltwin.ops.spec import OpSpec

CAUSE = "layout"
SENTENCE = "Reads rows as if each began at a multiple of 32 bytes."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, read=_read)


def _read(values: Array, call: Call) -> Array:
    per_block = 32 // values.dtype.itemsize
    width = values.shape[-1]
    padded = -(-width // per_block) * per_block
    rows = flat_planes(values).shape[1] // width
    flat = values.reshape(-1)
    numbers = np.arange(values.size).reshape(-1, rows * width)
    row, column = np.divmod(numbers, width)
    return np.asarray(flat[(row * padded + column) % values.size]).reshape(values.shape)
