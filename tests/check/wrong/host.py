"""Device memory is not host memory."""

import numpy as np
from gallery import GRADIENTS, RESULT_BYTES, Upsample, acl, begin, end, gradients, main, malloc, ok, read, worked


# An array over device memory: pyACL's helpers know only host memory.
# finds: host.device-pointer-followed
def device_memory_as_an_array(fixed: bool) -> None:
    stream = begin()
    block = gradients()
    number = np.dtype(np.float32).num
    values = read(block, GRADIENTS.nbytes) if fixed else acl.util.ptr_to_numpy(block, (16,), number)
    print(values.sum())
    end(stream, block)


# The bytes of device memory, taken on the host.
# finds: host.device-pointer-followed
def device_memory_as_bytes(fixed: bool) -> None:
    stream = begin()
    block = gradients()
    data = read(block, 8).tobytes() if fixed else acl.util.ptr_to_bytes(block, 8)
    print(data)
    end(stream, block)


# A tensor over a NumPy array.
# finds: host.host-pointer-given
def array_in_a_tensor(fixed: bool) -> None:
    stream = begin()
    source, result = gradients(), malloc(RESULT_BYTES)
    upsample = Upsample(source if fixed else acl.util.numpy_to_ptr(GRADIENTS), result)
    if worked(upsample.phase1()):
        ok(upsample.phase2(stream))
        ok(acl.rt.synchronize_stream(stream))
        read(result, RESULT_BYTES)
    upsample.close()
    end(stream, source, result)


main(globals())
