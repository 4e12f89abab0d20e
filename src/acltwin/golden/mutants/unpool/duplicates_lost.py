"""Loses the element of every place that several elements name."""

from __future__ import annotations

import math

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._call import Call, flat_planes
from acltwin.golden.mutants._unpool import output_size, unpool
from acltwin.ops.spec import OpSpec

CAUSE = "accumulation"
SENTENCE = "Loses the element of every place that several elements name."
TOLERATED = "Which of several elements at one place stays is not specified on the device, so no case repeats an index."


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, places=_places)


def _places(places: Places, call: Call) -> Places:
    flat = flat_planes(places)
    numbers = flat + np.arange(len(flat))[:, None] * math.prod(output_size(call))
    _, number, count = np.unique(numbers, return_inverse=True, return_counts=True)
    return np.where(count[number].reshape(places.shape) > 1, -1, places)
