"""Moves the last tile of 16 back to the row's end and adds the overlapping gradients twice."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._faults import changed
from acltwin.golden.mutants._upsample import upsample
from acltwin.ops.spec import OpSpec

CAUSE = "tiling"
SENTENCE = "Moves the last tile of 16 back to the row's end and adds the overlapping gradients twice."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, read=_read)


def _read(values: Array, call: Call) -> Array:
    size = values.shape[-1]
    if size <= 16 or size % 16 == 0:
        return values
    overlap = (..., slice(size - 16, size // 16 * 16))
    return changed(values, overlap, values[overlap] + values[overlap])
