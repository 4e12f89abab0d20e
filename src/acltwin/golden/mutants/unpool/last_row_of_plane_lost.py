"""Refuses places in the last row of the plane."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._unpool import output_size, unpool
from acltwin.ops.spec import OpSpec

CAUSE = "border"
SENTENCE = "Refuses places in the last row of the plane."


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, places=_places)


def _places(places: Places, call: Call) -> Places:
    depth, height, width = output_size(call)
    return np.where(places >= (depth * height - 1) * width, -1, places)
