"""3-D max unpooling, from its formula."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.reference._planes import planes_of, widened


def max_unpool3d(
    input: NDArray[Any],
    indices: NDArray[Any],
    output_size: Sequence[int],
    stride: int | Sequence[int],
    padding: int | Sequence[int],
) -> NDArray[Any]:
    """Element j of a plane goes to place ``indices[j]``; of several at one place the last one stays."""
    values, places = planes_of(widened(input)), planes_of(indices)
    result = np.zeros((len(values), math.prod(output_size)), values.dtype)
    for j in range(values.shape[1]):
        result[np.arange(len(values)), places[:, j]] = values[:, j]
    return result.reshape(*input.shape[:-3], *output_size)
