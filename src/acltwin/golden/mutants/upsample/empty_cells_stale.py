"""Leaves in cells without gradients what the memory held before."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._faults import changed
from acltwin.golden.mutants._upsample import axes_of, right_pairs, upsample
from acltwin.ops.spec import OpSpec

CAUSE = "initialisation"
SENTENCE = "Leaves in cells without gradients what the memory held before."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, alter=_alter)


def _alter(result: Array, call: Call) -> Array:
    empty = [np.bincount(right_pairs(axis)[0], minlength=axis.in_size) == 0 for axis in axes_of(call)]
    stale = np.resize(call.values.reshape(-1), result.shape)
    written = np.ix_(*(~cells for cells in empty))
    return changed(stale, (..., *written), result[(..., *written)])
