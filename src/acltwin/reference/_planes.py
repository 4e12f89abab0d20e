"""What the references of the index operators share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


def channels_first(array: NDArray[Any], data_format: str) -> NDArray[Any]:
    return np.moveaxis(array, -1, 1) if data_format.endswith("C") else array


def restored(array: NDArray[Any], data_format: str) -> NDArray[Any]:
    """A result with its channels first in the order of the caller's arrays."""
    return np.moveaxis(array, 1, -1) if data_format.endswith("C") else array


def planes_of(array: NDArray[Any], axes: int) -> NDArray[Any]:
    """(..., D, H, W) as (planes, D*H*W)."""
    return array.reshape(math.prod(array.shape[:-axes]), math.prod(array.shape[-axes:]))


def widened(array: NDArray[Any]) -> NDArray[Any]:
    """Floating-point arrays as float64, integers as they are."""
    return array if array.dtype == bool or np.issubdtype(array.dtype, np.integer) else array.astype(np.float64)
