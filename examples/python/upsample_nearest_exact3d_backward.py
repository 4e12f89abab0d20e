"""Channels last: two channels interleaved in memory, read in place because the format says NDHWC.

It prints:

    channel 0: 0.0 3.0 3.0 9.0
    channel 1: 0.0 30.0 30.0 90.0
"""

import numpy as np

from acltwin.acl import easy

cells = np.arange(6, dtype=np.float32)
gradient = np.stack([cells, 10 * cells], axis=-1).reshape(1, 1, 1, 6, 2)

with easy.Device(0) as device, device.stream() as stream:
    grad_out = device.tensor(gradient, "NDHWC")
    grad_input = device.empty((1, 1, 1, 4, 2), "float32", "NDHWC")
    input_size = (1, 2, 1, 1, 4)  # always N, C, D, H, W
    stream.run("upsample_nearest_exact3d_backward", grad_out, (1, 1, 6), input_size, 0.0, 0.0, 0.0, grad_input)
    stream.synchronize()
    print("channel 0:", *grad_input.numpy()[..., 0].ravel().tolist())
    print("channel 1:", *grad_input.numpy()[..., 1].ravel().tolist())
