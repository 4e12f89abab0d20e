"""What programs use beside streams, events and blocks: virtual memory, batches, functions in streams, peers."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest

from acltwin import acl
from acltwin.acl import constants as c

DEVICE = {"id": 0, "type": c.ACL_MEM_LOCATION_TYPE_DEVICE}
HOST = {"id": 0, "type": c.ACL_MEM_LOCATION_TYPE_HOST}
PROP = {"handleType": 0, "allocationType": 0, "memAttr": c.ACL_HBM_MEM_HUGE, "location": DEVICE, "reserve": 0}


@pytest.fixture
def stream() -> Iterator[int]:
    assert acl.rt.set_device(0) == 0
    made, ret = acl.rt.create_stream()
    assert ret == 0
    yield made
    assert acl.rt.destroy_stream(made) == 0
    assert acl.rt.reset_device(0) == 0


def test_virtual_memory(stream: int) -> None:
    piece, ret = acl.rt.mem_get_allocation_granularity(PROP, c.ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED)
    assert (piece, ret) == (2**21, 0)
    area, ret = acl.rt.reserve_mem_address(2**33, 0, 0, 1)
    assert ret == 0
    handles = [acl.rt.malloc_physical(piece, PROP, 0) for _ in range(2)]
    assert all(ret == 0 for _, ret in handles)
    for number, (handle, _) in enumerate(handles):
        assert acl.rt.map_mem(area + number * piece, piece, 0, handle, 0) == 0
    data = np.arange(2 * piece, dtype=np.uint8)
    assert acl.rt.memcpy(area, data.nbytes, data.ctypes.data, data.nbytes, c.ACL_MEMCPY_HOST_TO_DEVICE) == 0
    seen = np.zeros_like(data)
    assert acl.rt.memcpy(seen.ctypes.data, seen.nbytes, area, seen.nbytes, c.ACL_MEMCPY_DEVICE_TO_HOST) == 0
    assert np.array_equal(seen, data)
    assert acl.rt.pointer_get_attributes(area + piece) == ({"location": DEVICE, "pageSize": 2**21}, 0)
    assert acl.rt.release_mem_address(area) == 107000
    assert "aclrtUnmapMem" in acl.get_recent_err_msg()
    for number, (handle, _) in enumerate(handles):
        assert acl.rt.unmap_mem(area + number * piece) == 0
        assert acl.rt.free_physical(handle) == 0
    assert acl.rt.release_mem_address(area) == 0
    assert acl.rt.free_physical(handles[0][0]) == 107017


@pytest.mark.parametrize(
    ("prop", "words"),
    [
        (5, "prop is int, expected a dictionary"),
        ({"memAttribute": 4}, "prop has 'memAttribute'"),
        ({"location": 0}, r"prop\['location'\] is int"),
    ],
)
def test_a_property_that_is_none(prop: object, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        acl.rt.malloc_physical(2**21, prop, 0)  # type: ignore[arg-type]


def test_batches(stream: int) -> None:
    block = acl.rt.malloc(64, 0)[0]
    sent, seen = np.arange(64, dtype=np.uint8), np.zeros(64, np.uint8)
    halves, sizes = [block, block + 32], [32, 32]
    there, back = [{"dstLoc": DEVICE, "srcLoc": HOST}], [{"dstLoc": HOST, "srcLoc": DEVICE}]
    sources = [sent.ctypes.data, sent.ctypes.data + 32]
    assert acl.rt.memcpy_batch(halves, sizes, sources, sizes, there, [0]) == (2**64 - 1, 0)
    targets = [seen.ctypes.data, seen.ctypes.data + 32]
    assert acl.rt.memcpy_batch_async(targets, sizes, halves, sizes, back, [0], stream) == (2**64 - 1, 0)
    assert acl.rt.synchronize_stream(stream) == 0
    assert np.array_equal(seen, sent)
    assert acl.rt.memcpy_batch(halves, sizes, sources, [32, 33], there, [0]) == (1, 107000)
    with pytest.raises(ValueError, match="as many of each"):
        acl.rt.memcpy_batch(halves, sizes, sources, [32], there, [0])
    with pytest.raises(ValueError, match="attrs_indexes"):
        acl.rt.memcpy_batch(halves, sizes, sources, sizes, there, [0, 1])
    assert acl.rt.free(block) == 0


def test_functions_in_streams(stream: int) -> None:
    told: list[object] = []
    for number in range(5):
        assert acl.rt.launch_host_func(stream, told.append, number) == 0
    assert acl.rt.synchronize_stream(stream) == 0
    assert told == [0, 1, 2, 3, 4]
    with pytest.raises(TypeError, match="fn is int"):
        acl.rt.launch_host_func(stream, 5, 0)  # type: ignore[arg-type]

    is_over = threading.Event()

    def process(timeout: int) -> None:
        while not is_over.is_set():
            acl.rt.process_report(timeout)

    thread = acl.util.start_thread(process, 10)[0]
    assert acl.rt.launch_callback(told.append, ["early"], c.ACL_CALLBACK_BLOCK, stream) == 107015
    assert acl.rt.subscribe_report(thread, stream) == 0
    assert acl.rt.launch_callback(told.append, ["done"], c.ACL_CALLBACK_BLOCK, stream) == 0
    assert acl.rt.synchronize_stream(stream) == 0
    assert told[-1] == ["done"]
    assert acl.rt.unsubscribe_report(thread, stream) == 0
    is_over.set()
    assert acl.util.stop_thread(thread) == 0
    assert acl.util.stop_thread(thread) == 100000


def test_host_memory(stream: int) -> None:
    host, ret = acl.rt.malloc_host(2**21)
    device, ret = acl.rt.host_register(host, 2**21, c.ACL_HOST_REGISTER_MAPPED)
    assert ret == 0
    assert device != host
    assert acl.rt.memset(device, 4, 7, 4) == 0
    assert acl.util.ptr_to_bytes(host, 4) == bytes([7] * 4)
    assert acl.rt.host_unregister(device) == 107000
    assert acl.rt.host_unregister(host) == 0
    assert acl.rt.free_host(host) == 0


def test_numbers(stream: int) -> None:
    assert acl.rt.stream_get_id(stream)[1] == 0
    event, ret = acl.rt.create_event_ex_with_flag(c.ACL_EVENT_TIME_LINE)
    assert acl.rt.record_event(event, stream) == 0
    assert acl.rt.synchronize_device_with_timeout(60_000) == 0
    time, ret = acl.rt.event_get_timestamp(event)
    assert (time > 0, ret) == (True, 0)
    assert acl.rt.destroy_event(event) == 0
    assert acl.rt.get_device_info(0, c.ACL_DEV_ATTR_VECTOR_CORE_NUM)[0] >= 1
    assert acl.get_device_capability(0, c.ACL_DEVICE_INFO_L2_SIZE)[0] >= 2**16
    assert acl.get_data_type_size(c.ACL_FLOAT) == 4
    assert acl.rt.device_can_access_peer(0, 1) == (0, 107001)  # there is one device
    assert acl.rt.device_enable_peer_access(0, 0) == 107000
    assert acl.rt.device_disable_peer_access(0) == 107000


def test_captures(stream: int) -> None:
    """What is captured runs with each execution, also Python functions; mdl has the names of the C functions."""
    told: list[object] = []
    block, host = acl.rt.malloc(1, 0)[0], acl.rt.malloc_host(1)[0]
    assert acl.mdl.ri_capture_get_info(stream) == (c.ACL_MODEL_RI_CAPTURE_STATUS_NONE, 0, 0)
    assert acl.mdl.ri_capture_begin(stream, c.ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL) == 0
    status, begun, ret = acl.mdl.ri_capture_get_info(stream)
    assert (status, ret) == (c.ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE, 0)
    assert acl.rt.launch_host_func(stream, told.append, "run") == 0
    assert acl.rt.memset_async(block, 1, 7, 1, stream) == 0
    assert acl.rt.memcpy_async(host, 1, block, 1, c.ACL_MEMCPY_DEVICE_TO_HOST, stream) == 0
    assert acl.rt.memset(block, 1, 1, 1) == 107030
    relaxed, default = c.ACL_MODEL_RI_CAPTURE_MODE_RELAXED, c.ACL_MODEL_RI_CAPTURE_MODE_GLOBAL
    assert acl.mdl.ri_capture_thread_exchange_mode(relaxed) == (default, 0)
    assert acl.rt.memset(block, 1, 1, 1) == 0
    assert acl.mdl.ri_capture_thread_exchange_mode(default) == (relaxed, 0)
    assert acl.mdl.ri_capture_end(stream) == (begun, 0)
    assert told == []
    assert acl.mdl.ri_execute(begun, -1) == 0
    assert acl.mdl.ri_execute_async(begun, stream) == 0
    assert acl.rt.synchronize_stream(stream) == 0
    assert (told, acl.util.ptr_to_bytes(host, 1)) == (["run", "run"], b"\7")
    assert acl.mdl.ri_destroy(begun) == 0
    assert acl.mdl.ri_destroy(begun) == 107017
    assert acl.rt.free(block) == 0
    assert acl.rt.free_host(host) == 0
