"""A result that is copied before its kernel is known to be done: right on most days.

acltwin check python examples/check/too_early.py
"""

import numpy as np

from acltwin.acl import easy

with easy.Device(0) as device, device.stream() as stream:
    grad_out = device.tensor(np.arange(16, dtype=np.float32).reshape(1, 1, 2, 2, 4), "NCDHW")
    grad_input = device.empty((1, 1, 1, 1, 2), "float32", "NCDHW")
    stream.run("upsample_nearest3d_backward", grad_out, (2, 2, 4), (1, 1, 1, 1, 2), 2.0, 2.0, 2.0, grad_input)
    print(grad_input.numpy().ravel())  # stream.synchronize() is missing
