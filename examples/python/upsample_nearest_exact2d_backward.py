"""bfloat16, and a mistake that explains itself.

It prints:

    out: 10.0 18.0
    161002 AclNN_Parameter_Error(EZ1001)
"""

import ml_dtypes
import numpy as np

from acltwin.acl import easy

with easy.Device(0) as device, device.stream() as stream:
    grad_output = device.tensor(np.arange(8).reshape(1, 1, 2, 4).astype(ml_dtypes.bfloat16), "NCHW")
    out = device.empty((1, 1, 1, 2), "bfloat16", "NCHW")
    stream.run("upsample_nearest_exact2d_backward", grad_output, (2, 4), (1, 1, 1, 2), 0.0, 0.0, out)
    stream.synchronize()
    print("out:", *out.numpy().astype(np.float32).ravel().tolist())

    try:
        stream.run("upsample_nearest_exact2d_backward", grad_output, (2, 4), (1, 1, 2), 0.0, 0.0, out)
    except easy.AclError as error:
        print(error.code, error)
