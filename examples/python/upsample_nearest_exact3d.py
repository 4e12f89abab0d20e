"""Given scales: all three count together, and the output must be as large as they make it.

It prints:

    out: 1.0 1.0 2.0 3.0 3.0
    161002 AclNN_Parameter_Error(EZ1001)
"""

import numpy as np

from acltwin.acl import easy

with easy.Device(0) as device, device.stream() as stream:
    image = device.tensor(np.array([1, 2, 3], np.float32).reshape(1, 1, 1, 1, 3), "NCDHW")
    out = device.empty((1, 1, 1, 1, 5), "float32", "NCDHW")
    stream.run("upsample_nearest_exact3d", image, (1, 1, 5), 1.0, 1.0, 1.7, out)
    stream.synchronize()
    print("out:", *out.numpy().ravel().tolist())
    try:
        stream.run("upsample_nearest_exact3d", image, (1, 1, 5), 1.0, 1.0, 2.5, out)
    except easy.AclError as error:
        print(error.code, error)
