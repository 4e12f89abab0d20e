"""The gradient of unpooling, and what happens to an index that leaves its plane.

It prints:

    out: 60.0 10.0
    507015 AclNN_Runtime_Error(EZ9903)
"""

import numpy as np

from acltwin.acl import easy

with easy.Device(0) as device, device.stream() as stream:
    grad_output = device.tensor(np.arange(0, 80, 10, dtype=np.float32).reshape(1, 1, 2, 2, 2))
    pooled = device.tensor(np.zeros((1, 1, 1, 1, 2), np.float32))  # its shape and dtype count, not its values
    indices = device.tensor(np.array([6, 1], np.int64).reshape(1, 1, 1, 1, 2))
    out = device.empty((1, 1, 1, 1, 2), "float32")
    sizes = ((2, 2, 2), (2, 2, 2), (0, 0, 0))  # outputSize, stride, padding

    stream.run("max_unpool3d_backward", grad_output, pooled, indices, *sizes, out)
    stream.synchronize()
    print("out:", *out.numpy().ravel().tolist())

    indices.copy_from(np.array([6, 8], np.int64).reshape(1, 1, 1, 1, 2))
    stream.run("max_unpool3d_backward", grad_output, pooled, indices, *sizes, out)
    try:
        stream.synchronize()
    except easy.AclError as error:
        print(error.code, error)
