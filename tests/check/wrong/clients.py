"""What frameworks do with memory and several devices, done wrong."""

from __future__ import annotations

import ctypes
import os

from gallery import GRADIENTS, RESULT_BYTES, Upsample, begin, c, end, main, malloc, ok, read, worked, write

from acltwin import acl

PIECE = 2**21
PROP = {"memAttr": c.ACL_HBM_MEM_HUGE, "location": {"id": 0, "type": c.ACL_MEM_LOCATION_TYPE_DEVICE}}


# Memory goes from one device to another that it has no access to.
# finds: use.no-peer-access
def copy_without_peer_access(fixed: bool) -> None:
    os.environ["ACLTWIN_DEVICES"] = "2"
    stream = begin()
    source, size = malloc(GRADIENTS.nbytes), GRADIENTS.nbytes
    write(source, GRADIENTS)
    if fixed:
        ok(acl.rt.device_enable_peer_access(1, 0))
    ok(acl.rt.set_device(1))
    other = malloc(size)
    ok(acl.rt.memcpy(other, size, source, size, c.ACL_MEMCPY_DEVICE_TO_DEVICE))
    ok(acl.rt.free(other))
    ok(acl.rt.reset_device(1))
    ok(acl.rt.set_device(0))
    ok(acl.rt.reset_device(0))
    end(stream, source)


# A queued copy fills memory of the first device on a stream of the second.
# finds: use.wrong-device
def copy_on_another_devices_stream(fixed: bool) -> None:
    os.environ["ACLTWIN_DEVICES"] = "2"
    stream = begin()
    first, size = malloc(GRADIENTS.nbytes), GRADIENTS.nbytes
    ok(acl.rt.set_device(1))
    own = malloc(size)
    target = own if fixed else first
    ok(acl.rt.memcpy_async(target, size, GRADIENTS.ctypes.data, size, c.ACL_MEMCPY_HOST_TO_DEVICE, 0))
    ok(acl.rt.synchronize_stream(0))
    read(target, size)
    ok(acl.rt.free(own))
    ok(acl.rt.reset_device(1))
    ok(acl.rt.set_device(0))
    ok(acl.rt.reset_device(0))
    end(stream, first)


# A kernel reads memory that was mapped and never written.
# finds: init.kernel-reads-unwritten
def mapped_and_not_written(fixed: bool) -> None:
    stream = begin()
    area, _ = acl.rt.reserve_mem_address(2**32, 0, 0, 1)
    memory, _ = acl.rt.malloc_physical(PIECE, PROP, 0)
    ok(acl.rt.map_mem(area, PIECE, 0, memory, 0))
    if fixed:
        write(area, GRADIENTS)
    upsample = Upsample(area, area + 1024)
    upsample.launch(stream)
    ok(acl.rt.synchronize_stream(stream))
    read(area + 1024, RESULT_BYTES)
    upsample.close()
    ok(acl.rt.unmap_mem(area))
    ok(acl.rt.free_physical(memory))
    ok(acl.rt.release_mem_address(area))
    end(stream)


# An operator that the twin does not have is called.
# finds: use.missing-operator
def operator_that_is_missing(fixed: bool) -> None:
    stream = begin()
    if not fixed:
        missing = ctypes.CDLL(acl.library_files()[0]).acltwin_missing_operator
        worked(missing(b"aclnnSoftmaxGetWorkspaceSize"))
    end(stream)


main(globals())
