"""Copies of memory that is used too early, in the wrong order, or that is gone."""

from __future__ import annotations

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
    write,
)

SIZE = GRADIENTS.nbytes


def pinned(count: int) -> tuple[int, np.ndarray]:
    address, ret = acl.rt.malloc_host(count * 4)
    ok(ret)
    return address, acl.util.ptr_to_numpy(address, (count,), np.dtype(np.float32).num)


# A pinned array is read right after its copy was queued.
# finds: race.host-copies
def pinned_array_read_early(fixed: bool) -> None:
    stream = begin()
    block, (address, values) = gradients(), pinned(16)
    ok(acl.rt.memcpy_async(address, SIZE, block, SIZE, c.ACL_MEMCPY_DEVICE_TO_HOST, stream))
    if fixed:
        ok(acl.rt.synchronize_stream(stream))
    print(values.sum())
    ok(acl.rt.synchronize_stream(stream))
    ok(acl.rt.free_host(address))
    end(stream, block)


# A pinned array is filled for the next step while the last one's upload is queued.
# finds: race.host-copies
def pinned_array_refilled(fixed: bool) -> None:
    stream = begin()
    block, (address, values) = malloc(SIZE), pinned(16)
    for step in range(3):
        values[:] = step
        ok(acl.rt.memcpy_async(block, SIZE, address, SIZE, c.ACL_MEMCPY_HOST_TO_DEVICE, stream))
        if fixed:
            ok(acl.rt.synchronize_stream(stream))
    ok(acl.rt.synchronize_stream(stream))
    read(block, SIZE)
    ok(acl.rt.free_host(address))
    end(stream, block)


# Both copies of a batch write the first bytes of a block.
# finds: race.batch-copies
def batch_writes_bytes_twice(fixed: bool) -> None:
    stream = begin()
    block = malloc(2 * SIZE)
    ways = [{"dstLoc": {"id": 0, "type": 1}, "srcLoc": {"id": 0, "type": 0}}]  # from the host to the device
    source, sizes = acl.util.numpy_to_ptr(GRADIENTS), [SIZE, SIZE]
    second = block + SIZE if fixed else block + SIZE - 4
    _, ret = acl.rt.memcpy_batch([block, second], sizes, [source, source], sizes, ways, [0])
    ok(ret)
    end(stream, block)


# What a launch has used as its workspace is read as if it were still a tensor.
# finds: init.workspace-read
def workspace_read_as_a_tensor(fixed: bool) -> None:
    stream = begin()
    pool, result = Pool(), malloc(RESULT_BYTES)
    area = malloc(pool.workspace_size + SIZE)
    source = area + pool.workspace_size if fixed else area
    write(source, GRADIENTS)
    ok(pool.phase2(area, pool.workspace_size, stream))
    upsample = Upsample(source, result)
    upsample.launch(stream)
    ok(acl.rt.synchronize_stream(stream))
    read(result, RESULT_BYTES)
    read(pool.result, 32)
    upsample.close()
    pool.close()
    end(stream, area, result)


# A stream is destroyed by force, and its result is read.
# finds: init.dropped-work
def result_of_a_stream_destroyed_by_force(fixed: bool) -> None:
    stream = begin()
    other, ret = acl.rt.create_stream()
    ok(ret)
    source, result = gradients(), malloc(RESULT_BYTES)
    upsample = Upsample(source, result)
    upsample.launch(other)
    ok(acl.rt.synchronize_stream(other) if fixed else 0)
    ok(acl.rt.destroy_stream_force(other))
    read(result, RESULT_BYTES)
    upsample.close()
    end(stream, source, result)


# The address of an array that nobody keeps: it is gone when the copy reads it.
# finds: use.stale-handle
def address_of_a_temporary(fixed: bool) -> None:
    stream = begin()
    block, image = malloc(SIZE), np.arange(16, dtype=np.uint8)
    kept = image.astype(np.float32)
    source = acl.util.numpy_to_ptr(kept if fixed else image.astype(np.float32))
    ok(acl.rt.memcpy(block, SIZE, source, SIZE, c.ACL_MEMCPY_HOST_TO_DEVICE))
    read(block, SIZE)
    end(stream, block)


# A view keeps nothing alive once it is gone itself; nor does the address of its second half.
# finds: use.stale-handle
def address_within_a_temporary(fixed: bool) -> None:
    stream = begin()
    block, rows = malloc(SIZE), np.ones((2, 16), np.float32)
    source = acl.util.numpy_to_ptr(rows.reshape(-1) if fixed else rows.copy().reshape(-1)) + SIZE
    ways = [{"dstLoc": {"id": 0, "type": 1}, "srcLoc": {"id": 0, "type": 0}}]
    _, ret = acl.rt.memcpy_batch_async([block], [SIZE], [source], [SIZE], ways, [0], stream)
    ok(ret)
    ok(acl.rt.synchronize_stream(stream))
    read(block, SIZE)
    end(stream, block)


# Bytes that were joined for the call alone.
# finds: use.stale-handle
def address_of_temporary_bytes(fixed: bool) -> None:
    stream = begin()
    block, half = malloc(SIZE), bytes(SIZE // 2)
    kept = half + half
    source = acl.util.bytes_to_ptr(kept if fixed else half + half)
    ok(acl.rt.memcpy(block, SIZE, source, SIZE, c.ACL_MEMCPY_HOST_TO_DEVICE))
    read(block, SIZE)
    end(stream, block)


main(globals())
