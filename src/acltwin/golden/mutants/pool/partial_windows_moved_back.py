"""Moves windows that stick out at the end back into the plane."""

from __future__ import annotations

import numpy as np

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._pool import Axis, pool
from acltwin.ops.spec import OpSpec

CAUSE = "border"
SENTENCE = "Moves windows that stick out at the end back into the plane."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool(operator, tensors, arguments, geometry=lambda axis: Inward(**vars(axis)))


class Inward(Axis):
    @property
    def starts(self) -> Places:
        last = max(self.cells - self.dilation * (self.kernel - 1) - 1, 0)
        return np.clip(super().starts, None, last)
