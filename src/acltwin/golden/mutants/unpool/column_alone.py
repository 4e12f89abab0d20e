"""Uses the column of an index alone, in the row where the element itself is."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._unpool import output_size, unpool
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Uses the column of an index alone, in the row where the element itself is."


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, places=_places)


def _places(places: Places, call: Call) -> Places:
    _, _, width = output_size(call)
    row = np.arange(places[0, 0].size).reshape(places.shape[2:]) // places.shape[-1]
    return np.asarray(row * width + places % width)
