"""Each element goes where its index says; an index outside the plane is found when the stream is synchronised.

It prints:

    outRef: 0.0 5.0 7.0 0.0
    507015 AclNN_Runtime_Error(EZ9903)
"""

import numpy as np

from acltwin.acl import easy

with easy.Device(0) as device, device.stream() as stream:
    pooled = device.tensor(np.array([5, 7], np.float32).reshape(1, 1, 1, 1, 2))
    out_ref = device.empty((1, 1, 1, 1, 4), "float32")
    for second_index in (2, 4):
        indices = device.tensor(np.array([1, second_index]).reshape(1, 1, 1, 1, 2))
        stream.run("max_unpool3d", pooled, indices, (1, 1, 4), (1, 1, 2), (0, 0, 0), out_ref)
        try:
            stream.synchronize()
            print("outRef:", *out_ref.numpy().ravel().tolist())
        except easy.AclError as error:
            print(error.code, error)
