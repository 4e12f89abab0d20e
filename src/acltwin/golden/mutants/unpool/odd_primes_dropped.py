"""Drops elements whose index is a prime."""

from __future__ import annotations

import math

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._faults import primes_below
from acltwin.golden.mutants._unpool import output_size, unpool
from acltwin.ops.spec import OpSpec

CAUSE = "tiling"
SENTENCE = "Drops elements whose index is a prime."
HELD_OUT = True


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, places=_places)


def _places(places: Places, call: Call) -> Places:
    return np.where(np.isin(places, primes_below(math.prod(output_size(call)))), -1, places)
