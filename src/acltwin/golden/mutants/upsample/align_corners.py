"""Maps the first cell to the first and the last to the last, as with align_corners."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import Axis, Pairs, from_source, upsample
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Maps the first cell to the first and the last to the last, as with align_corners."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, pairs=_pairs)


def _pairs(axis: Axis) -> Pairs:
    step = (axis.in_size - 1) / max(axis.out_size - 1, 1)
    return from_source(np.floor(np.arange(axis.out_size) * step + 0.5), axis)
