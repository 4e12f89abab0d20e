"""Ignores the indices and takes every window's first cell."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._unpool import output_size, unpool
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Ignores the indices and takes every window's first cell."


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, places=_places)


def _places(places: Places, call: Call) -> Places:
    stride = call.arguments["stride"]
    steps = (stride,) * 3 if isinstance(stride, int) else tuple(stride)
    d, h, w = np.ix_(*(np.arange(n) * int(step) for n, step in zip(places.shape[2:], steps, strict=True)))
    size = output_size(call)
    inside = (d < size[0]) & (h < size[1]) & (w < size[2])
    return np.broadcast_to(np.where(inside, (d * size[1] + h) * size[2] + w, -1), places.shape)
