"""Two results: the maximum of every window, and where it was.

It prints:

    out: 9.0 9.0 8.0
    indices: 1 1 3
"""

import numpy as np

from acltwin.acl import easy

with easy.Device(0) as device, device.stream() as stream:
    image = device.tensor(np.array([1, 9, 2, 8, 3], np.float32).reshape(1, 1, 1, 1, 5))
    out = device.empty((1, 1, 1, 1, 3), "float32")
    indices = device.empty((1, 1, 1, 1, 3), "int32")
    window = ((1, 1, 3), (1, 1, 1), (0, 0, 0), (1, 1, 1))  # kernelSize, stride, padding, dilation
    stream.run("max_pool3d_with_argmax", image, *window, False, out, indices)
    stream.synchronize()
    print("out:", *out.numpy().ravel().tolist())
    print("indices:", *indices.numpy().ravel().tolist())
