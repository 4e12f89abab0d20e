"""Adds within a tile of 64 windows, but overwrites what tiles before it wrote."""

from __future__ import annotations

import math

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._call import Call, flat_planes
from acltwin.golden.mutants._pool import pool_gradient
from acltwin.ops.spec import OpSpec

CAUSE = "tiling"
SENTENCE = "Adds within a tile of 64 windows, but overwrites what tiles before it wrote."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool_gradient(operator, tensors, arguments, targets=_targets)


def _targets(places: Places, call: Call) -> Places:
    assert call.input is not None
    flat = flat_planes(places).copy()
    plane = np.arange(len(flat))[:, None]
    tile = np.broadcast_to(np.arange(flat.shape[1]) // 64, flat.shape)
    last = np.zeros((len(flat), math.prod(call.input.shape[2:])), np.int64)
    np.maximum.at(last, (plane, flat), tile)
    flat[tile < last[plane, flat]] = -1
    return flat.reshape(places.shape)
