"""Judging the indices that max pooling finds: each must point at a maximum of its own window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.case import Case
from acltwin.golden.cases.dtypes import Array
from acltwin.golden.cases.family import flowing_name
from acltwin.golden.judge.expected import Expected


def wrong_indices(case: Case, expected: Expected, found: Array) -> NDArray[np.bool_]:
    """Where a window has one maximum this is equality; among equal maxima every choice is right."""
    assert expected.indices is not None
    values = case[flowing_name(case.spec)].astype(np.float64)
    axes = len(case.spec.axes)
    plane = values.shape[-axes:]
    index = found.astype(np.int64)
    inside = (index >= 0) & (index < int(np.prod(plane)))
    flat = values.reshape(*values.shape[:-axes], -1)
    places = np.where(inside, index, 0).reshape(*index.shape[:-axes], -1)
    chosen = np.take_along_axis(flat, places, -1).reshape(index.shape)
    best = expected.value
    is_maximum = (chosen == best) | (np.isnan(chosen) & np.isnan(best))
    return np.asarray(~(inside & is_maximum & _in_window(case.arguments, np.where(inside, index, 0), plane)))


def _in_window(arguments: Any, index: NDArray[np.int64], plane: tuple[int, ...]) -> NDArray[np.bool_]:
    """Whether each place is one that the window of its cell looks at."""
    axes = len(plane)
    kernel = _per_axis(arguments["kernel_size"], axes)
    stride = _per_axis(arguments["stride"], axes) if arguments["stride"] not in (None, ()) else kernel
    padding, dilation = _per_axis(arguments["padding"], axes), _per_axis(arguments["dilation"], axes)
    coordinates = np.unravel_index(index, plane)
    inside = np.ones(index.shape, bool)
    for axis, coordinate in enumerate(coordinates):
        window = np.arange(index.shape[index.ndim - axes + axis]).reshape(-1, *(1,) * (axes - 1 - axis))
        offset = coordinate - (window * stride[axis] - padding[axis])
        inside &= (offset >= 0) & (offset % dilation[axis] == 0) & (offset // dilation[axis] < kernel[axis])
    return inside


def _per_axis(value: int | Sequence[int], axes: int) -> tuple[int, ...]:
    values = (value,) if isinstance(value, int) else tuple(value)
    return values * axes if len(values) == 1 else values
