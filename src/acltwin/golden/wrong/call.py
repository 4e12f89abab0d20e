"""A call of an operator as the wrong implementations see it: planes first, whatever the format."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from acltwin.golden.cases.arrays import is_channels_last, planes_first
from acltwin.golden.cases.family import along, family_of, flowing_name
from acltwin.golden.wrong.arithmetic import Array, Places
from acltwin.ops import OPERATORS, OpSpec


@dataclass(frozen=True)
class Call:
    """What comes in. ``values`` are (N, C, ...) in every format; N is 1 where the operator has no such axis.

    Pooling and unpooling see (N, C, D, H, W) with a D of 1 where the operator has none.
    """

    spec: OpSpec
    raw: Array  # the tensor of values as it was given
    values: Array
    arguments: dict[str, Any]
    channels_last: bool = False
    indices: Places | None = None  # (N, C, ...) too
    input: Array | None = None  # of a gradient that gets it: (N, C, ...)

    @property
    def batch(self) -> tuple[int, int]:
        return self.values.shape[0], self.values.shape[1]

    @property
    def plane(self) -> tuple[int, ...]:
        """The sizes of the plane in which indices name places."""
        if "output_size" in self.arguments and self.indices is not None:  # of an unpooling
            return self.lifted(tuple(int(size) for size in self.arguments["output_size"]), 1)
        return (self.values if self.input is None else self.input).shape[2:]

    @property
    def windows(self) -> tuple[int, ...]:
        """How many there are along each axis of a pooling to a given size."""
        if self.spec.is_gradient:
            return self.values.shape[2:]
        return self.lifted(along(self.arguments["output_size"], len(self.spec.axes)), 1)

    def lifted(self, numbers: tuple[int, ...], missing: int) -> tuple[int, ...]:
        """A number for each axis of ``values``; ``missing`` for axes that the operator does not have."""
        return (missing,) * (self.values.ndim - 2 - len(numbers)) + numbers

    def restored(self, result: Array) -> Array:
        """A result (N, C, ...) in the shape and format that the caller expects."""
        spatial = len(self.spec.axes)
        if self.channels_last:
            flat = result.reshape(*result.shape[:2], *result.shape[-spatial:])
            return np.ascontiguousarray(np.moveaxis(flat, 1, -1))
        return result.reshape(*self.raw.shape[: self.raw.ndim - spatial], *result.shape[-spatial:])


Read = Callable[[Array, Call], Array]
"""What a kernel reads instead of the values."""
Alter = Callable[[Array, Call], Array]
"""What a kernel writes instead of a right result (N, C, ...)."""
Renumber = Callable[[Places, Call], Places]
"""What a kernel uses instead of the indices (N, C, ...)."""


def unchanged(values: Array, call: Call) -> Array:
    return values


def parse(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Call:
    spec = OPERATORS[operator]
    order = str(arguments.get("data_format", ""))
    by_role = {
        argument.holds: _lifted(planes_first(tensors[argument.python_name], order), spec)
        for argument in spec.inputs
        if argument.kind == "tensor"
    }
    return Call(
        spec,
        tensors[flowing_name(spec)],
        by_role["values"],
        dict(arguments),
        is_channels_last(order),
        by_role["indices"].astype(np.int64) if "indices" in by_role else None,
        by_role.get("shape"),
    )


def _lifted(array: Array, spec: OpSpec) -> Array:
    spatial = len(spec.axes)
    batch, plane = array.shape[:-spatial], array.shape[-spatial:]
    lifted = spatial if family_of(spec).by_axes else 3
    return array.reshape(*(1,) * (2 - len(batch)), *batch, *(1,) * (lifted - spatial), *plane)


def flat_planes(array: Array) -> Array:
    """(N, C, ...) as (planes, cells)."""
    return array.reshape(array.shape[0] * array.shape[1], math.prod(array.shape[2:]))


def everywhere(places: Places, cells: int) -> Places:
    """Places (planes, elements) counted through all planes of so many cells."""
    return np.asarray(places + cells * np.arange(len(places))[:, None])
