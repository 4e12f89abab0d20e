"""Refuses the plane's last cell: the bound is one too small."""

from __future__ import annotations

import math

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._unpool import output_size, unpool
from acltwin.ops.spec import OpSpec

CAUSE = "border"
SENTENCE = "Refuses the plane's last cell: the bound is one too small."


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, places=_places)


def _places(places: Places, call: Call) -> Places:
    return np.where(places == math.prod(output_size(call)) - 1, -1, places)
