"""The gradient of 3-D max unpooling, from its formula."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.reference._planes import planes_of, widened


def max_unpool3d_backward(
    grad_output: NDArray[Any],
    input: NDArray[Any],
    indices: NDArray[Any],
    output_size: Sequence[int],
    stride: int | Sequence[int],
    padding: int | Sequence[int],
) -> NDArray[Any]:
    """Element j of a plane is the gradient at place ``indices[j]`` of that plane."""
    fetched = np.take_along_axis(planes_of(widened(grad_output)), planes_of(indices), axis=1)
    return fetched.reshape(input.shape)
