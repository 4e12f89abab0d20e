"""Flips the lowest bit of every thirteenth element."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._faults import lowest_bit_flipped
from acltwin.golden.mutants._upsample import upsample
from acltwin.ops.spec import OpSpec

CAUSE = "rounding"
SENTENCE = "Flips the lowest bit of every thirteenth element."
HELD_OUT = True


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, alter=_alter)


def _alter(result: Array, call: Call) -> Array:
    return lowest_bit_flipped(np.ascontiguousarray(result).reshape(-1), slice(5, None, 13)).reshape(result.shape)
