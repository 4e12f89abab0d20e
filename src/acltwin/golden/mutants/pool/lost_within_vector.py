"""Loses additions to the same cell within 8 neighbouring windows: the last of them stays."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._call import Call, flat_planes
from acltwin.golden.mutants._pool import pool_gradient
from acltwin.ops.spec import OpSpec

CAUSE = "accumulation"
SENTENCE = "Loses additions to the same cell within 8 neighbouring windows: the last of them stays."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool_gradient(operator, tensors, arguments, targets=_targets)


def _targets(places: Places, call: Call) -> Places:
    flat = flat_planes(places).copy()
    for distance in range(1, 8):
        same = flat[:, :-distance] == flat[:, distance:]
        same &= np.arange(flat.shape[1] - distance) % 8 + distance < 8
        flat[:, :-distance][same] = -1
    return flat.reshape(places.shape)
