"""Upsamplings along one axis, whose cells say where they came from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import acltwin
from acltwin.reference import FUNCTIONS
from support.coded import LONGEST
from support.forward import AXES
from support.lazy import torch
from support.libraries import PYTORCH_UPSAMPLING
from support.values import Array

SIZES = range(1, LONGEST + 1)
PAIRS = [(inner, outer) for inner in SIZES for outer in SIZES]
CELLS = {n: np.arange(n, dtype=np.float32) for n in SIZES}


class OneAxis:
    """Calls on tensors that have one long axis; the value of a cell is its place."""

    def __init__(self, operator: str, axis: int) -> None:
        self.operator, self.axis, self.axes = operator, axis, AXES[operator]
        self.ours, self.theirs = getattr(acltwin, operator), PYTORCH_UPSAMPLING[operator]

    def size(self, n: int) -> tuple[int, ...]:
        return (1,) * self.axis + (n,) + (1,) * (self.axes - 1 - self.axis)

    def agrees_with_pytorch(self, inner: int, outer: int, scale: float | None) -> bool:
        scales: list[float | None] = [None] * self.axes
        scales[self.axis] = scale
        image = torch.arange(inner, dtype=torch.float32).reshape(1, 1, *self.size(inner))
        call = (image, self.size(outer), *scales)
        return torch.equal(self.ours(*call, rule="torch"), self.theirs(*call))

    def _call(self, inner: int, outer: int, scale: float) -> tuple[Any, ...]:
        scales = [scale if axis == self.axis else 1.0 for axis in range(self.axes)] if scale else []
        return CELLS[inner].reshape(1, 1, *self.size(inner)), self.size(outer), *scales

    def result(self, inner: int, outer: int, scale: float) -> Array:
        result: Array = self.ours(*self._call(inner, outer, scale)).ravel()
        return result

    def formula(self, inner: int, outer: int, scale: float) -> Array:
        """The same along every axis."""
        expected: Array = FUNCTIONS[self.operator](*self._call(inner, outer, scale)).ravel()
        return expected


Call = tuple[int, int, float | None]


def calls_unlike_pytorch(
    operator: str, axis: int, sizes: Sequence[tuple[int, int]], longest: int = LONGEST
) -> tuple[list[Call], list[Call]]:
    """Of these pairs of sizes, and of others with a given scale, those (in, out, scale) that PyTorch maps otherwise."""
    calls = OneAxis(operator, axis)
    pairs: list[Call] = [(inner, outer, None) for inner, outer in sizes]
    rng = np.random.default_rng(20)
    scaled: list[Call] = []
    for number in range(len(sizes) // 4):
        inner, outer = (int(n) for n in rng.integers(1, longest, 2, endpoint=True))
        if number % 5 == 0:  # sizes for which PyTorch's gradient has shortcuts, and its forward pass only sometimes
            inner = min(inner, longest // 2)
            outer = inner * int(rng.integers(1, 3))
        scale = (outer / inner, rng.uniform(0.05, 8), rng.integers(1, 60) / rng.integers(1, 60))[rng.integers(3)]
        scaled.append((inner, outer, float(scale)))
    unlike = [[call for call in some if not calls.agrees_with_pytorch(*call)] for some in (pairs, scaled)]
    return unlike[0], unlike[1]
