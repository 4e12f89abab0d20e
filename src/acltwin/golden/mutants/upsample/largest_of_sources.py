"""Keeps the largest gradient instead of the sum."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places, grouped
from acltwin.golden.mutants._upsample import upsample
from acltwin.ops.spec import OpSpec

CAUSE = "accumulation"
SENTENCE = "Keeps the largest gradient instead of the sum."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, total=_total)


def _total(values: Array, targets: Places, cells: int) -> Array:
    largest = grouped(values, targets, cells, add=np.maximum, start=-np.inf)
    return np.where(np.isneginf(largest), 0, largest)
