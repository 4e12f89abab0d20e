"""Keeps the largest of several elements at one place."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places, last_wins, rounds
from acltwin.golden.mutants._unpool import unpool
from acltwin.ops.spec import OpSpec

CAUSE = "accumulation"
SENTENCE = "Keeps the largest of several elements at one place."
TOLERATED = "Which of several elements at one place stays is not specified on the device, so no case repeats an index."


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, total=_total)


def _total(values: Array, targets: Places, cells: int) -> Array:
    largest = last_wins(values, targets, cells)
    for pairs in rounds(targets):
        cell = targets[pairs]
        largest[cell] = np.maximum(largest[cell], values[pairs])
    return largest
