"""``acl.rt``: virtual memory, batches of copies, registered host memory."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from ctypes import byref, c_size_t, c_void_p
from typing import Any

from acltwin.acl._addresses import check_addresses
from acltwin.acl._calls import give, give_last, packed
from acltwin.acl._library import c
from acltwin.acl._mistakes import explained
from acltwin.acl._structures import MemcpyBatchAttr, PhysicalMemProp, PtrAttributes

__all__ = [
    "free_physical",
    "host_register",
    "host_unregister",
    "malloc_physical",
    "map_mem",
    "mem_get_allocation_granularity",
    "memcpy_batch",
    "memcpy_batch_async",
    "pointer_get_attributes",
    "release_mem_address",
    "reserve_mem_address",
    "unmap_mem",
]


@explained
def reserve_mem_address(size: int, alignment: int, expect_ptr: int, flags: int) -> tuple[int, int]:
    """Reserve addresses, to which :func:`map_mem` brings memory: ``(address, ret)``. The alignment is 0."""
    return give(c.aclrtReserveMemAddress, c_void_p, size, alignment, expect_ptr, flags)


@explained
def release_mem_address(address: int) -> int:
    """Give back what :func:`reserve_mem_address` gave."""
    return c.aclrtReleaseMemAddress(address)


@explained
def malloc_physical(size: int, prop: Mapping[str, Any], flags: int) -> tuple[int, int]:
    """Memory that is mapped nowhere yet: ``(handle, ret)``.

    ``prop`` has the fields of the C structure::

        {"handleType": 0, "allocationType": 0, "memAttr": ACL_HBM_MEM_HUGE, "reserve": 0,
         "location": {"id": 0, "type": ACL_MEM_LOCATION_TYPE_DEVICE}}
    """
    return give(c.aclrtMallocPhysical, c_void_p, size, byref(PhysicalMemProp.of("prop", prop)), flags)


@explained
def free_physical(handle: int) -> int:
    """Give back memory of :func:`malloc_physical`; while it is mapped, it stays there."""
    return c.aclrtFreePhysical(handle)


@explained
def map_mem(address: int, size: int, offset: int, handle: int, flags: int) -> int:
    """Bring memory to reserved addresses: all of it, so ``size`` is its size and ``offset`` 0."""
    return c.aclrtMapMem(address, size, offset, handle, flags)


@explained
def unmap_mem(address: int) -> int:
    """Take memory away from the address that :func:`map_mem` brought it to."""
    return c.aclrtUnmapMem(address)


@explained
def mem_get_allocation_granularity(prop: Mapping[str, Any], option: int) -> tuple[int, int]:
    """What sizes of :func:`malloc_physical` are multiples of: ``(bytes, ret)``."""
    structure = PhysicalMemProp.of("prop", prop)
    return give_last(c.aclrtMemGetAllocationGranularity, c_size_t, byref(structure), option)


class _Batch:
    def __init__(self, arrays: Sequence[Sequence[int]], attrs: Sequence[Mapping[str, Any]], firsts: Sequence[int]):
        dsts, dest_maxs, srcs, sizes = (list(values) for values in arrays)
        if not len(dsts) == len(dest_maxs) == len(srcs) == len(sizes):
            raise ValueError(
                f"dsts, dest_maxs, srcs and sizes have {len(dsts)}, {len(dest_maxs)}, {len(srcs)} and {len(sizes)} "
                "values, expected as many of each; pass one for each copy"
            )
        if len(attrs) != len(firsts):
            raise ValueError(
                f"attrs has {len(attrs)} values and attrs_indexes {len(firsts)}, expected as many; pass the first copy "
                "of each"
            )
        structures = [MemcpyBatchAttr.of(f"attrs[{position}]", attr) for position, attr in enumerate(attrs)]
        check_addresses((*dsts, *srcs))
        self.failed = c_size_t()
        attributes = (MemcpyBatchAttr * max(1, len(attrs)))(*structures)
        numbers = (packed("Q", dsts), packed("Q", dest_maxs), packed("Q", srcs), packed("Q", sizes))
        self.arguments = (
            *(*numbers, len(dsts), ctypes.cast(attributes, c_void_p), packed("Q", firsts), len(attrs)),
            byref(self.failed),
        )
        self.kept = attributes


@explained
def memcpy_batch(
    dsts: Sequence[int],
    dest_maxs: Sequence[int],
    srcs: Sequence[int],
    sizes: Sequence[int],
    attrs: Sequence[Mapping[str, Any]],
    attrs_indexes: Sequence[int],
) -> tuple[int, int]:
    """Many copies, all to the device or all to the host: ``(index of the one that is refused, ret)``.

    ``attrs[k]``, with ``dstLoc`` and ``srcLoc``, is about the copies from ``attrs_indexes[k]`` on.
    """
    batch = _Batch((dsts, dest_maxs, srcs, sizes), attrs, attrs_indexes)
    ret = c.aclrtMemcpyBatch(*batch.arguments)
    return batch.failed.value, ret


@explained
def memcpy_batch_async(
    dsts: Sequence[int],
    dest_maxs: Sequence[int],
    srcs: Sequence[int],
    sizes: Sequence[int],
    attrs: Sequence[Mapping[str, Any]],
    attrs_indexes: Sequence[int],
    stream: int,
) -> tuple[int, int]:
    """Queue many copies: :func:`memcpy_batch` in its turn on a stream."""
    batch = _Batch((dsts, dest_maxs, srcs, sizes), attrs, attrs_indexes)
    ret = c.aclrtMemcpyBatchAsync(*batch.arguments, stream)
    return batch.failed.value, ret


@explained
def pointer_get_attributes(address: int) -> tuple[dict[str, Any], int]:
    """What an address is: ``({"location": {"id": device, "type": ACL_MEM_LOCATION_TYPE_...}, "pageSize": n}, ret)``."""
    found = PtrAttributes()
    ret = c.aclrtPointerGetAttributes(address, byref(found))
    location = {"id": found.location.id, "type": found.location.type}
    return {"location": location, "pageSize": found.pageSize}, ret


@explained
def host_register(address: int, size: int, kind: int) -> tuple[int, int]:
    """Let the device use host memory that begins a page: ``(its address on the device, ret)``."""
    device_address = c_void_p()
    ret = c.aclrtHostRegister(address, size, kind, byref(device_address))
    return device_address.value or 0, ret


@explained
def host_unregister(address: int) -> int:
    """Take host memory back from :func:`host_register`; ``address`` is the host's."""
    return c.aclrtHostUnregister(address)
