"""The gradient of 3-D max pooling, from its formula."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.reference._planes import channels_first, planes_of, restored


def max_pool3d_with_argmax_backward(
    grad_output: NDArray[Any],
    input: NDArray[Any],
    indices: NDArray[Any],
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None,
    padding: int | Sequence[int],
    dilation: int | Sequence[int],
    ceil_mode: bool,
    *,
    data_format: str = "NCDHW",
) -> NDArray[np.float64]:
    """Every gradient is added at place ``indices[j]`` of its plane; the windows' geometry plays no part in that."""
    grads, source, places = (planes_of(channels_first(each, data_format)) for each in (grad_output, input, indices))
    grad_input = np.zeros(source.shape)
    for plane, plane_places, plane_grads in zip(grad_input, places, grads, strict=True):
        np.add.at(plane, plane_places, plane_grads.astype(np.float64))
    return restored(grad_input.reshape(channels_first(input, data_format).shape), data_format)
