"""Three cells enlarged to five: each output cell copies the cell at or before its own place.

It prints:

    out: 1.0 1.0 2.0 2.0 3.0
"""

import numpy as np

from acltwin.acl import easy

with easy.Device(0) as device, device.stream() as stream:
    image = device.tensor(np.array([1, 2, 3], np.float32).reshape(1, 1, 1, 1, 3), "NCDHW")
    out = device.empty((1, 1, 1, 1, 5), "float32", "NCDHW")
    stream.run("upsample_nearest3d", image, (1, 1, 5), 0.0, 0.0, 0.0, out)
    stream.synchronize()
    print("out:", *out.numpy().ravel().tolist())
