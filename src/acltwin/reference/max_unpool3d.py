"""3-D max unpooling, from its formula."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.reference._planes import channels_first, planes_of, restored, widened


def max_unpool3d(
    input: NDArray[Any],
    indices: NDArray[Any],
    output_size: Sequence[int],
    stride: int | Sequence[int],
    padding: int | Sequence[int],
    *,
    data_format: str = "NCDHW",
) -> NDArray[Any]:
    """Element j of a plane goes to place ``indices[j]``; of several at one place the last one stays."""
    source = channels_first(input, data_format)
    values, places = planes_of(widened(source)), planes_of(channels_first(indices, data_format))
    result = np.zeros((len(values), math.prod(output_size)), values.dtype)
    for j in range(values.shape[1]):
        result[np.arange(len(values)), places[:, j]] = values[:, j]
    return restored(result.reshape(*source.shape[:-3], *output_size), data_format)
