"""The gradient of 3-D max unpooling, from its formula."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.reference._planes import channels_first, planes_of, restored, widened


def max_unpool3d_backward(
    grad_output: NDArray[Any],
    input: NDArray[Any],
    indices: NDArray[Any],
    output_size: Sequence[int],
    stride: int | Sequence[int],
    padding: int | Sequence[int],
    *,
    data_format: str = "NCDHW",
) -> NDArray[Any]:
    """Element j of a plane is the gradient at place ``indices[j]`` of that plane."""
    places = channels_first(indices, data_format)
    planes = planes_of(widened(channels_first(grad_output, data_format)))
    fetched = np.take_along_axis(planes, planes_of(places), axis=1)
    return restored(fetched.reshape(places.shape), data_format)
