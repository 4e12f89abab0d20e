"""The gradient of 3-D max pooling, from its formula."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.reference._planes import planes_of


def max_pool3d_with_argmax_backward(
    grad_output: NDArray[Any],
    input: NDArray[Any],
    indices: NDArray[Any],
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None,
    padding: int | Sequence[int],
    dilation: int | Sequence[int],
    ceil_mode: bool,
) -> NDArray[np.float64]:
    """Every gradient is added at place ``indices[j]`` of its plane; the windows' geometry plays no part in that."""
    grad_input = np.zeros(planes_of(input).shape)
    for plane, places, grads in zip(grad_input, planes_of(indices), planes_of(grad_output), strict=True):
        np.add.at(plane, places, grads.astype(np.float64))
    return grad_input.reshape(input.shape)
