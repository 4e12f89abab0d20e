"""Calls that nothing orders: right on most days."""

import numpy as np
from gallery import (
    GRADIENTS,
    RESULT_BYTES,
    Pool,
    Upsample,
    acl,
    begin,
    c,
    end,
    gradients,
    main,
    malloc,
    ok,
    read,
    worked,
)


# A result is copied before its stream was synchronised.
# finds: race.kernel-and-copy
def copy_before_synchronize(fixed: bool) -> None:
    stream = begin()
    source, result = gradients(), malloc(RESULT_BYTES)
    upsample = Upsample(source, result)
    upsample.launch(stream)
    if fixed:
        ok(acl.rt.synchronize_stream(stream))
    read(result, RESULT_BYTES)
    ok(acl.rt.synchronize_stream(stream))
    upsample.close()
    end(stream, source, result)


# The program synchronises a stream, but the kernel is on another.
# finds: race.wrong-stream
def wrong_stream_synchronized(fixed: bool) -> None:
    stream = begin()
    other, ret = acl.rt.create_stream()
    ok(ret)
    source, result = gradients(), malloc(RESULT_BYTES)
    upsample = Upsample(source, result)
    upsample.launch(stream)
    ok(acl.rt.synchronize_stream(stream if fixed else other))
    read(result, RESULT_BYTES)
    ok(acl.rt.synchronize_device())
    upsample.close()
    ok(acl.rt.destroy_stream(other))
    end(stream, source, result)


# Two kernels on two streams write one result.
# finds: race.kernels
def two_kernels_write_one_result(fixed: bool) -> None:
    stream = begin()
    second, ret = acl.rt.create_stream()
    ok(ret)
    source, result = gradients(), malloc(RESULT_BYTES)
    upsample = Upsample(source, result)
    upsample.launch(stream)
    upsample.launch(stream if fixed else second)
    ok(acl.rt.synchronize_device())
    read(result, RESULT_BYTES)
    upsample.close()
    ok(acl.rt.destroy_stream(second))
    end(stream, source, result)


# A stream waits for an event that nobody has recorded yet: it does not wait at all.
# finds: race.event-not-recorded
def event_waited_before_recorded(fixed: bool) -> None:
    stream = begin()
    event, ret = acl.rt.create_event()
    ok(ret)
    if fixed:
        ok(acl.rt.record_event(event, 0))
    ok(acl.rt.stream_wait_event(stream, event))
    if not fixed:
        ok(acl.rt.record_event(event, 0))
    ok(acl.rt.synchronize_device())
    ok(acl.rt.destroy_event(event))
    end(stream)


# Two queued copies on two streams write one block.
# finds: race.copies
def two_copies_into_one_block(fixed: bool) -> None:
    stream = begin()
    block, size = malloc(GRADIENTS.nbytes), GRADIENTS.nbytes
    ok(acl.rt.memcpy_async(block, size, GRADIENTS.ctypes.data, size, c.ACL_MEMCPY_HOST_TO_DEVICE, stream))
    ok(acl.rt.memset_async(block, size, 0, size, stream if fixed else 0))
    ok(acl.rt.synchronize_device())
    read(block, size)
    end(stream, block)


# Two launches on two streams share a workspace.
# finds: race.workspace-shared
def workspace_shared(fixed: bool) -> None:
    stream = begin()
    one, two = Pool(), Pool()
    workspace, own = malloc(one.workspace_size), malloc(two.workspace_size)
    ok(one.phase2(workspace, one.workspace_size, stream))
    ok(two.phase2(own if fixed else workspace, two.workspace_size, 0))
    ok(acl.rt.synchronize_device())
    read(one.result, 32)
    read(two.result, 32)
    one.close()
    two.close()
    end(stream, workspace, own)


# The input is freed right after the launch.
# finds: race.free-in-use
def free_after_launch(fixed: bool) -> None:
    stream = begin()
    source, result = gradients(), malloc(RESULT_BYTES)
    upsample = Upsample(source, result)
    upsample.launch(stream)
    if fixed:
        ok(acl.rt.synchronize_stream(stream))
    ok(acl.rt.free(source))
    worked(acl.rt.synchronize_stream(stream))
    read(result, RESULT_BYTES)
    upsample.close()
    end(stream, result)


# The device is reset while a kernel is queued; the kernel's blocks go with it.
# finds: race.reset-in-use use.reset-with-live-objects
def reset_with_queued_work(fixed: bool) -> None:
    ok(acl.init())
    ok(acl.rt.set_device(0))
    source, result = gradients(), malloc(RESULT_BYTES)
    upsample = Upsample(source, result)
    upsample.launch(0)
    seen = np.empty(2, np.float32)
    ok(acl.rt.memcpy_async(seen.ctypes.data, 8, result, 8, c.ACL_MEMCPY_DEVICE_TO_HOST, 0))
    if fixed:
        ok(acl.rt.synchronize_stream(0))
        ok(acl.rt.free(source))
        ok(acl.rt.free(result))
    ok(acl.rt.reset_device(0))
    upsample.close()
    ok(acl.finalize())


# A stream is destroyed while work is queued on it.
# finds: race.destroy-in-use
def stream_destroyed_early(fixed: bool) -> None:
    stream = begin()
    second, ret = acl.rt.create_stream()
    ok(ret)
    source, result = gradients(), malloc(RESULT_BYTES)
    upsample = Upsample(source, result)
    upsample.launch(second)
    if fixed:
        ok(acl.rt.synchronize_stream(second))
    ok(acl.rt.destroy_stream(second))
    ok(acl.rt.synchronize_device())
    read(result, RESULT_BYTES)
    upsample.close()
    end(stream, source, result)


# The host memory that a queued copy fills is filled by another copy meanwhile.
# finds: race.host-copies
def target_of_a_queued_copy_reused(fixed: bool) -> None:
    stream = begin()
    one, two = gradients(), gradients()
    size = GRADIENTS.nbytes
    seen, ret = acl.rt.malloc_host(size)
    ok(ret)
    ok(acl.rt.memcpy_async(seen, size, one, size, c.ACL_MEMCPY_DEVICE_TO_HOST, stream))
    if fixed:
        ok(acl.rt.synchronize_stream(stream))
    ok(acl.rt.memcpy(seen, size, two, size, c.ACL_MEMCPY_DEVICE_TO_HOST))
    ok(acl.rt.synchronize_stream(stream))
    ok(acl.rt.free_host(seen))
    end(stream, one, two)


# A NumPy array is filled by a queued copy, and copied on by another stream before it is there.
# finds: race.copies
def array_handed_on_early(fixed: bool) -> None:
    stream = begin()
    one, two, size = gradients(), malloc(GRADIENTS.nbytes), GRADIENTS.nbytes
    between = np.zeros(16, np.float32)
    ok(acl.rt.memcpy_async(between.ctypes.data, size, one, size, c.ACL_MEMCPY_DEVICE_TO_HOST, stream))
    second = stream if fixed else 0
    ok(acl.rt.memcpy_async(two, size, between.ctypes.data, size, c.ACL_MEMCPY_HOST_TO_DEVICE, second))
    ok(acl.rt.synchronize_device())
    read(two, size)
    end(stream, one, two)


# A NumPy array is the source of a queued copy, and filled with something else at once.
# finds: race.host-copies
def array_reused_early(fixed: bool) -> None:
    stream = begin()
    one, two, size = gradients(), malloc(GRADIENTS.nbytes), GRADIENTS.nbytes
    staging = np.zeros(16, np.float32)
    ok(acl.rt.memcpy_async(two, size, staging.ctypes.data, size, c.ACL_MEMCPY_HOST_TO_DEVICE, stream))
    if fixed:
        ok(acl.rt.synchronize_stream(stream))
    ok(acl.rt.memcpy(staging.ctypes.data, size, one, size, c.ACL_MEMCPY_DEVICE_TO_HOST))
    ok(acl.rt.synchronize_stream(stream))
    read(two, size)
    end(stream, one, two)


main(globals())
