"""The two phases by hand, in the way of pyACL: what a C program does, call by call.

Runs on the twin, and with ACLTWIN_LIBRARY=cann on a machine with an NPU.

It prints:

    gradInput: 52.0 68.0
"""

import numpy as np

from acltwin import acl
from acltwin.acl import constants


# [check]
def check(status: int) -> None:
    if status != constants.ACL_SUCCESS:
        raise SystemExit(f"{status}: {acl.get_recent_err_msg()}")


# [/check]


# [tensor]
def to_device(data: np.ndarray) -> tuple[int, int]:
    """A block with the data, and the tensor that describes it."""
    block, ret = acl.rt.malloc(data.nbytes, constants.ACL_MEM_MALLOC_HUGE_FIRST)
    check(ret)
    source = acl.util.numpy_to_ptr(data)
    check(acl.rt.memcpy(block, data.nbytes, source, data.nbytes, constants.ACL_MEMCPY_HOST_TO_DEVICE))
    layout = constants.ACL_FORMAT_NCDHW
    return acl.create_tensor(data.shape, constants.ACL_FLOAT, None, 0, layout, data.shape, block), block


# [/tensor]

# [start]
check(acl.init())
check(acl.rt.set_device(0))
stream, ret = acl.rt.create_stream()
check(ret)
# [/start]

# [arguments]
gradient = np.arange(16, dtype=np.float32).reshape(1, 1, 2, 2, 4)
result = np.zeros((1, 1, 1, 1, 2), np.float32)
grad_out, grad_out_block = to_device(gradient)
grad_input, grad_input_block = to_device(result)
output_size = acl.create_int_array(gradient.shape[2:])
input_size = acl.create_int_array(result.shape)
# [/arguments]

# [phases]
workspace_size, executor, ret = acl.upsample_nearest3d_backward_get_workspace_size(
    grad_out, output_size, input_size, 2.0, 2.0, 2.0, grad_input
)
check(ret)
workspace = 0
if workspace_size > 0:
    workspace, ret = acl.rt.malloc(workspace_size, constants.ACL_MEM_MALLOC_HUGE_FIRST)
    check(ret)
check(acl.upsample_nearest3d_backward(workspace, workspace_size, executor, stream))
check(acl.rt.synchronize_stream(stream))
# [/phases]

# [result]
target = acl.util.numpy_to_ptr(result)
check(acl.rt.memcpy(target, result.nbytes, grad_input_block, result.nbytes, constants.ACL_MEMCPY_DEVICE_TO_HOST))
print("gradInput:", *result.ravel().tolist())
# [/result]

# [end]
acl.destroy_tensor(grad_out)
acl.destroy_tensor(grad_input)
acl.destroy_int_array(output_size)
acl.destroy_int_array(input_size)
acl.rt.free(grad_out_block)
acl.rt.free(grad_input_block)
if workspace_size > 0:
    acl.rt.free(workspace)
acl.rt.destroy_stream(stream)
acl.rt.reset_device(0)
acl.finalize()
# [/end]
