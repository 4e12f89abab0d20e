"""Takes cell 255 of every 256 from the cell before."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call, flat_planes
from acltwin.golden.mutants._faults import changed
from acltwin.golden.mutants._upsample import upsample
from acltwin.ops.spec import OpSpec

CAUSE = "tiling"
SENTENCE = "Takes cell 255 of every 256 from the cell before."
HELD_OUT = True


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, alter=_alter)


def _alter(result: Array, call: Call) -> Array:
    planes = flat_planes(result)
    copied = changed(planes, (..., slice(255, None, 256)), planes[:, 254::256][:, : planes[:, 255::256].shape[1]])
    return copied.reshape(result.shape)
