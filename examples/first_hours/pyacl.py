"""The first hour with pyACL: statuses and messages, then the same with exceptions.

It prints:

   107000 AclNN_Runtime_Error(EZ9903): aclrtMemcpy: count is 128 bytes, expected at most destMax = 64
   gradient 8.0
   acltwin.acl.easy.AclError
"""

import numpy as np

from acltwin import acl
from acltwin.acl import easy

acl.init()
acl.rt.set_device(0)
block, _ = acl.rt.malloc(64, acl.constants.ACL_MEM_MALLOC_HUGE_FIRST)
status = acl.rt.memcpy(block, 64, block, 128, acl.constants.ACL_MEMCPY_DEVICE_TO_DEVICE)
print(status, acl.get_recent_err_msg())
acl.rt.free(block)
acl.rt.reset_device(0)
acl.finalize()

with easy.Device(0) as device, device.stream() as stream:
    grad_out = device.tensor(np.ones((1, 1, 2, 2, 2), np.float32), "NCDHW")
    grad_input = device.empty((1, 1, 1, 1, 1), "float32", "NCDHW")
    sizes = (2, 2, 2), (1, 1, 1, 1, 1)
    stream.run("upsample_nearest3d_backward", grad_out, *sizes, 0.0, 0.0, 0.0, grad_input)
    stream.synchronize()
    print("gradient", grad_input.numpy().item())
    try:
        stream.run("upsample_nearest3d_backward", grad_out, (2, 2), sizes[1], 0.0, 0.0, 0.0, grad_input)
    except easy.AclError as error:
        print(f"{type(error).__module__}.{type(error).__name__}")
