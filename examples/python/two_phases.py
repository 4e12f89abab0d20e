"""The two phases by hand, in the way of pyACL: what a C program does, call by call.

Runs on the twin, and with ACLTWIN_LIBRARY=cann on a machine with an NPU.
"""

import numpy as np

from acltwin import acl
from acltwin.acl import constants


def check(ret: int) -> None:
    if ret != 0:
        raise SystemExit(f"{ret}: {acl.get_recent_err_msg()}")


def to_device(array: np.ndarray) -> tuple[int, int]:
    """A block with the array's data, and the tensor that describes it."""
    block, ret = acl.rt.malloc(array.nbytes, constants.ACL_MEM_MALLOC_HUGE_FIRST)
    check(ret)
    source = acl.util.numpy_to_ptr(array)
    check(acl.rt.memcpy(block, array.nbytes, source, array.nbytes, constants.ACL_MEMCPY_HOST_TO_DEVICE))
    data_type = constants.DATA_TYPES[array.dtype.name]
    shape = array.shape
    return block, acl.create_tensor(shape, data_type, None, 0, constants.ACL_FORMAT_NCDHW, shape, block)


def main() -> None:
    check(acl.init())
    check(acl.rt.set_device(0))
    stream, ret = acl.rt.create_stream()
    check(ret)

    result = np.zeros((1, 1, 1, 1, 2), np.float32)
    grad_out_block, grad_out = to_device(np.arange(16, dtype=np.float32).reshape(1, 1, 2, 2, 4))
    grad_input_block, grad_input = to_device(result)
    output_size = acl.create_int_array((2, 2, 4))
    input_size = acl.create_int_array((1, 1, 1, 1, 2))

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

    target = acl.util.numpy_to_ptr(result)
    check(acl.rt.memcpy(target, result.nbytes, grad_input_block, result.nbytes, constants.ACL_MEMCPY_DEVICE_TO_HOST))
    print("gradInput:", *result.ravel().tolist())

    for tensor in (grad_out, grad_input):
        check(acl.destroy_tensor(tensor))
    for array in (output_size, input_size):
        check(acl.destroy_int_array(array))
    for block in (grad_out_block, grad_input_block, workspace):
        if block:
            check(acl.rt.free(block))
    check(acl.rt.destroy_stream(stream))
    check(acl.rt.reset_device(0))
    check(acl.finalize())


main()
