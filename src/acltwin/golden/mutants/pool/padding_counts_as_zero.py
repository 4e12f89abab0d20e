"""Pads with 0 instead of leaving padding out."""

from __future__ import annotations

import math

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._pool import Taps, plane_index, pool
from acltwin.ops.spec import OpSpec

CAUSE = "border"
SENTENCE = "Pads with 0 instead of leaving padding out."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool(operator, tensors, arguments, outside=0.0, place=_place)


def _place(taps: Taps) -> Places:
    return np.clip(plane_index(taps), 0, math.prod(axis.cells for axis in taps.axes) - 1)
