"""A kernel with a mistake, for the first look at ``acltwin verify``.

acltwin verify examples/golden/numpy_upsample.py:backward upsample_nearest_exact2d_backward --level quick
"""

from collections.abc import Sequence

import numpy as np


def backward(
    grad_output: np.ndarray,
    output_size: Sequence[int],
    input_size: Sequence[int],
    scales_h: float,
    scales_w: float,
) -> np.ndarray:
    """Adds every gradient to the cell below its left edge. Nearest-exact wants the cell below its centre."""
    result = np.zeros(input_size, np.float32)
    sizes, scales = zip(output_size, input_size[2:], strict=True), (scales_h, scales_w)
    steps = [scale or out / cells for (out, cells), scale in zip(sizes, scales, strict=True)]
    for h, w in np.ndindex(*output_size):
        i, j = int(h / steps[0]), int(w / steps[1])  # right would be (h + 0.5) / steps[0], and the same for w
        if i < input_size[2] and j < input_size[3]:
            result[:, :, i, j] += grad_output[:, :, h, w]
    return result.astype(grad_output.dtype)
