"""Programs without a mistake, in the ways that Python programs are written."""

import threading

import numpy as np
from gallery import GRADIENTS, RESULT_BYTES, Upsample, acl, begin, c, end, gradients, main, malloc, ok, read

from acltwin.acl import easy


# The layer with exceptions and `with` blocks.
# finds: nothing
def with_blocks(fixed: bool) -> None:
    with easy.Device(0) as device, device.stream() as stream:
        grad_out = device.tensor(np.ones((1, 1, 2, 2, 2), np.float32), "NCDHW")
        grad_input = device.empty((1, 1, 1, 1, 1), "float32", "NCDHW")
        stream.run("upsample_nearest3d_backward", grad_out, (2, 2, 2), (1, 1, 1, 1, 1), 0.0, 0.0, 0.0, grad_input)
        stream.synchronize()
        print(grad_input.numpy().item())


# A call with a workspace, through the same layer.
# finds: nothing
def pooling_with_blocks(fixed: bool) -> None:
    with easy.Device(0) as device, device.stream() as stream:
        volume = device.tensor(GRADIENTS.reshape(1, 1, 2, 2, 4), "NCDHW")
        values = device.empty((1, 1, 1, 1, 1), "float32", "NCDHW")
        indices = device.empty((1, 1, 1, 1, 1), "int32", "NCDHW")
        windows = ((2, 2, 4), (2, 2, 4), (0, 0, 0), (1, 1, 1))
        stream.run("max_pool3d_with_argmax", volume, *windows, False, values, indices)
        stream.synchronize()
        print(values.numpy().item(), indices.numpy().item())


# Two streams, ordered by an event.
# finds: nothing
def two_streams(fixed: bool) -> None:
    stream = begin()
    second, ret = acl.rt.create_stream()
    ok(ret)
    event, ret = acl.rt.create_event()
    ok(ret)
    source, result = gradients(), malloc(RESULT_BYTES)
    upsample = Upsample(source, result)
    upsample.launch(stream)
    ok(acl.rt.record_event(event, stream))
    ok(acl.rt.stream_wait_event(second, event))
    seen = np.empty(2, np.float32)
    ok(acl.rt.memcpy_async(seen.ctypes.data, 8, result, 8, c.ACL_MEMCPY_DEVICE_TO_HOST, second))
    ok(acl.rt.synchronize_stream(second))
    upsample.close()
    ok(acl.rt.destroy_event(event))
    ok(acl.rt.destroy_stream(second))
    end(stream, source, result)


# Threads with streams of their own, joined.
# finds: nothing
def threads(fixed: bool) -> None:
    stream = begin()

    def work() -> None:
        ok(acl.rt.set_device(0))
        own, ret = acl.rt.create_stream()
        ok(ret)
        source, result = gradients(), malloc(RESULT_BYTES)
        upsample = Upsample(source, result)
        for _ in range(5):
            upsample.launch(own)
            ok(acl.rt.synchronize_stream(own))
            read(result, RESULT_BYTES)
        upsample.close()
        for block in (source, result):
            ok(acl.rt.free(block))
        ok(acl.rt.destroy_stream(own))
        ok(acl.rt.reset_device(0))

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    end(stream)


main(globals())
