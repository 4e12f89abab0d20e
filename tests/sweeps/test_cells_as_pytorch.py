"""By the torch rule every gradient goes to the cell PyTorch puts it in, for every pair of sizes and for scales."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin.ops import OPERATORS
from support.cases import UPSAMPLE
from support.coded import CHANNELS, LONGEST, coded_cells
from support.lazy import torch
from support.libraries import PYTORCH
from support.thorough import a_third_of

AXES = [(operator, axis) for operator in UPSAMPLE for axis in OPERATORS[operator].axes]
ALONG_AXIS = pytest.mark.parametrize(("operator", "axis"), AXES)


class OneAxis:
    """Calls of both libraries on tensors that have one long axis."""

    def __init__(self, operator: str, axis: str) -> None:
        names = OPERATORS[operator].axes
        self.sizes = {n: tuple(n if name == axis else 1 for name in names) for n in range(1, LONGEST + 1)}
        self.gradients = {n: torch.from_numpy(coded_cells(n)).reshape(1, CHANNELS, *self.sizes[n]) for n in self.sizes}
        self.ours = getattr(acltwin, operator)
        self.theirs = PYTORCH[operator]
        self.scale_position = names.index(axis)
        self.axes = len(names)

    def agree(self, inner: int, outer: int, scale: float | None) -> bool:
        scales: list[float | None] = [None] * self.axes
        scales[self.scale_position] = scale
        call: tuple[Any, ...] = (self.gradients[outer], self.sizes[outer], (1, CHANNELS, *self.sizes[inner]), *scales)
        return torch.equal(self.ours(*call, rule="torch"), self.theirs(*call))


@ALONG_AXIS
def test_every_pair_of_sizes(operator: str, axis: str) -> None:
    calls = OneAxis(operator, axis)
    pairs = a_third_of([(inner, outer) for inner in range(1, LONGEST + 1) for outer in range(1, LONGEST + 1)])
    wrong = [pair for pair in pairs if not calls.agree(*pair, None)]
    assert not wrong, f"{len(wrong)} of {len(pairs)} pairs (in, out) differ from PyTorch, such as {wrong[:5]}"


@ALONG_AXIS
def test_given_scales(operator: str, axis: str, rng: np.random.Generator) -> None:
    calls = OneAxis(operator, axis)
    wrong, rounds = [], a_third_of(range(6000))
    for _ in rounds:
        inner, outer = (int(n) for n in rng.integers(1, LONGEST, 2, endpoint=True))
        scale = float((outer / inner, rng.uniform(0.05, 8), rng.integers(1, 60) / rng.integers(1, 60))[rng.integers(3)])
        if not calls.agree(inner, outer, scale):
            wrong.append((inner, outer, scale))
    assert not wrong, f"{len(wrong)} of {len(rounds)} (in, out, scale) differ from PyTorch, such as {wrong[:5]}"
