"""Drops gradients of the plane's last cell: the bound is one too small."""

from __future__ import annotations

import math

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._pool import pool_gradient
from acltwin.ops.spec import OpSpec

CAUSE = "border"
SENTENCE = "Drops gradients of the plane's last cell: the bound is one too small."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool_gradient(operator, tensors, arguments, targets=_targets)


def _targets(places: Places, call: Call) -> Places:
    assert call.input is not None
    return np.where(places == math.prod(call.input.shape[2:]) - 1, -1, places)
