"""Bytes with the channels last: two pixels of three colours become three.

It prints:

    out: 10 20 30 110 120 130 110 120 130
"""

import numpy as np

from acltwin.acl import easy

with easy.Device(0) as device, device.stream() as stream:
    image = device.tensor(np.array([10, 20, 30, 110, 120, 130], np.uint8).reshape(1, 1, 2, 3), "NHWC")
    out = device.empty((1, 1, 3, 3), "uint8", "NHWC")
    stream.run("upsample_nearest_exact2d", image, (1, 3), 0.0, 0.0, out)
    stream.synchronize()
    print("out:", *out.numpy().ravel().tolist())
