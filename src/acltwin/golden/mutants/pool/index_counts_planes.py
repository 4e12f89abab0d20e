"""Counts indices through all planes instead of each one on its own."""

from __future__ import annotations

import math

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._pool import pool
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Counts indices through all planes instead of each one on its own."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool(operator, tensors, arguments, index=_index)


def _index(places: Places, call: Call) -> Places:
    planes = np.arange(math.prod(call.batch)).reshape(*call.batch, 1, 1, 1)
    return np.asarray(places + planes * math.prod(call.values.shape[2:]))
