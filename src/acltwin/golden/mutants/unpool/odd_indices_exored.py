"""Exchanges even and odd places in the second half of a plane."""

from __future__ import annotations

import math

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._unpool import output_size, unpool
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Exchanges even and odd places in the second half of a plane."
HELD_OUT = True


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, places=_places)


def _places(places: Places, call: Call) -> Places:
    cells = math.prod(output_size(call))
    return np.where((places >= cells // 2) & (places ^ 1 < cells), places ^ 1, places)
