"""Keeps 2048 cells of a plane at hand and loses places beyond them."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._unpool import unpool
from acltwin.ops.spec import OpSpec

CAUSE = "tiling"
SENTENCE = "Keeps 2048 cells of a plane at hand and loses places beyond them."


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, places=_places)


def _places(places: Places, call: Call) -> Places:
    return np.asarray(np.where(places < 2048, places, -1))
