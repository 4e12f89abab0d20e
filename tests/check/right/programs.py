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


# Arrays and bytes live by what they are views of, by other names, or until the copy is over.
# finds: nothing
def addresses_of_what_lives(fixed: bool) -> None:
    stream = begin()
    block, size = malloc(GRADIENTS.nbytes), GRADIENTS.nbytes

    def copy(source: int) -> None:
        ok(acl.rt.memcpy(block, size, source, size, c.ACL_MEMCPY_HOST_TO_DEVICE))

    pair = np.ones((2, 16), np.float32)
    copy(acl.util.numpy_to_ptr(pair[1]))
    copy(acl.util.numpy_to_ptr(pair.T.T.reshape(-1)) + size)
    words = bytes(range(64))
    copy(acl.util.bytes_to_ptr(words))
    copy(acl.util.bytes_to_ptr(b"0123456789abcdef" * 4))  # a constant of the program's
    source = acl.util.bytes_to_ptr(words)
    other, words = words, b""
    copy(source)
    copy(acl.util.numpy_to_ptr(np.frombuffer(other, np.float32)))
    for step in range(3):  # a new array may lie where the last one was
        array = np.full(16, step, np.float32)
        copy(array.ctypes.data if step == 1 else acl.util.numpy_to_ptr(array))
        address = acl.util.numpy_to_ptr(array)
        del array
        assert address != 0
    read(block, size)
    end(stream, block)


main(globals())
