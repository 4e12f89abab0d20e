"""Clamps indices to the number of cells of self."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._unpool import unpool
from acltwin.ops.spec import OpSpec

CAUSE = "border"
SENTENCE = "Clamps indices to the number of cells of self."


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, places=_places)


def _places(places: Places, call: Call) -> Places:
    return np.asarray(np.minimum(places, places[0, 0].size - 1))
