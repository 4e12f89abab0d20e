"""Overlapping windows: a cell that was the maximum of two windows gets both gradients.

It prints:

    gradInput: 0.0 3.0 0.0 4.0 0.0
"""

import numpy as np

from acltwin.acl import easy

with easy.Device(0) as device, device.stream() as stream:
    pooled_from = device.tensor(np.array([1, 9, 2, 8, 3], np.float32).reshape(1, 1, 1, 1, 5))
    grad_output = device.tensor(np.array([1, 2, 4], np.float32).reshape(1, 1, 1, 1, 3))
    indices = device.tensor(np.array([1, 1, 3], np.int32).reshape(1, 1, 1, 1, 3))
    grad_input = device.empty((1, 1, 1, 1, 5), "float32")
    window = ((1, 1, 3), (1, 1, 1), (0, 0, 0), (1, 1, 1))  # kernelSize, stride, padding, dilation
    stream.run("max_pool3d_with_argmax_backward", grad_output, pooled_from, indices, *window, False, grad_input)
    stream.synchronize()
    print("gradInput:", *grad_input.numpy().ravel().tolist())
