"""Fetches each gradient once: other elements that name the same place get 0."""

from __future__ import annotations

import math

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._call import Call, flat_planes
from acltwin.golden.mutants._unpool import output_size, unpool
from acltwin.ops.spec import OpSpec

CAUSE = "accumulation"
SENTENCE = "Fetches each gradient once: other elements that name the same place get 0."


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, places=_places)


def _places(places: Places, call: Call) -> Places:
    flat = flat_planes(places)
    numbers = (flat + np.arange(len(flat))[:, None] * math.prod(output_size(call))).reshape(-1)
    _, first = np.unique(numbers, return_index=True)
    once = np.full(numbers.shape, -1)
    once[first] = flat.reshape(-1)[first]
    return once.reshape(places.shape)
