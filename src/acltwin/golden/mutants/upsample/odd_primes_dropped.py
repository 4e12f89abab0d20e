"""Leaves every cell 0 whose number in its plane is a prime."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call, flat_planes
from acltwin.golden.mutants._faults import changed, primes_below
from acltwin.golden.mutants._upsample import upsample
from acltwin.ops.spec import OpSpec

CAUSE = "tiling"
SENTENCE = "Leaves every cell 0 whose number in its plane is a prime."
HELD_OUT = True


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, alter=_alter)


def _alter(result: Array, call: Call) -> Array:
    planes = flat_planes(result)
    return changed(planes, (..., primes_below(planes.shape[1])), 0).reshape(result.shape)
