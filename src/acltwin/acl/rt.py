"""``acl.rt``: devices, contexts, streams, events and memory."""

from __future__ import annotations

from ctypes import byref, c_float, c_int, c_int32, c_int64, c_size_t, c_uint32, c_void_p

from acltwin.acl._calls import give, give_last
from acltwin.acl._library import c

# ---- devices ----


def set_device(device_id: int) -> int:
    return c.aclrtSetDevice(device_id)


def reset_device(device_id: int) -> int:
    return c.aclrtResetDevice(device_id)


def get_device() -> tuple[int, int]:
    return give(c.aclrtGetDevice, c_int32)


def get_device_count() -> tuple[int, int]:
    return give(c.aclrtGetDeviceCount, c_uint32)


def get_run_mode() -> tuple[int, int]:
    return give(c.aclrtGetRunMode, c_int)


def synchronize_device() -> int:
    return c.aclrtSynchronizeDevice()


# ---- contexts ----


def create_context(device_id: int) -> tuple[int, int]:
    return give(c.aclrtCreateContext, c_void_p, device_id)


def destroy_context(context: int) -> int:
    return c.aclrtDestroyContext(context)


def set_context(context: int) -> int:
    return c.aclrtSetCurrentContext(context)


def get_context() -> tuple[int, int]:
    return give(c.aclrtGetCurrentContext, c_void_p)


def ctx_set_sys_param_opt(option: int, value: int) -> int:
    return c.aclrtCtxSetSysParamOpt(option, value)


def ctx_get_sys_param_opt(option: int) -> tuple[int, int]:
    return give_last(c.aclrtCtxGetSysParamOpt, c_int64, option)


def set_sys_param_opt(option: int, value: int) -> int:
    return c.aclrtSetSysParamOpt(option, value)


def get_sys_param_opt(option: int) -> tuple[int, int]:
    return give_last(c.aclrtGetSysParamOpt, c_int64, option)


# ---- streams; 0 is the context's default one ----


def create_stream() -> tuple[int, int]:
    return give(c.aclrtCreateStream, c_void_p)


def create_stream_with_config(priority: int, flag: int) -> tuple[int, int]:
    return give(c.aclrtCreateStreamWithConfig, c_void_p, priority, flag)


def destroy_stream(stream: int) -> int:
    return c.aclrtDestroyStream(stream)


def destroy_stream_force(stream: int) -> int:
    """Drop what has not begun."""
    return c.aclrtDestroyStreamForce(stream)


def synchronize_stream(stream: int) -> int:
    return c.aclrtSynchronizeStream(stream)


def synchronize_stream_with_timeout(stream: int, timeout: int) -> int:
    """Wait at most ``timeout`` milliseconds; -1 waits for ever."""
    return c.aclrtSynchronizeStreamWithTimeout(stream, timeout)


def stream_query(stream: int) -> tuple[int, int]:
    return give_last(c.aclrtStreamQuery, c_int, stream)


def stream_wait_event(stream: int, event: int) -> int:
    return c.aclrtStreamWaitEvent(stream, event)


# ---- events ----


def create_event() -> tuple[int, int]:
    return give(c.aclrtCreateEvent, c_void_p)


def create_event_with_flag(flag: int) -> tuple[int, int]:
    return give(c.aclrtCreateEventWithFlag, c_void_p, flag)


def destroy_event(event: int) -> int:
    return c.aclrtDestroyEvent(event)


def record_event(event: int, stream: int) -> int:
    return c.aclrtRecordEvent(event, stream)


def reset_event(event: int, stream: int) -> int:
    return c.aclrtResetEvent(event, stream)


def query_event_status(event: int) -> tuple[int, int]:
    return give_last(c.aclrtQueryEventStatus, c_int, event)


def synchronize_event(event: int) -> int:
    return c.aclrtSynchronizeEvent(event)


def synchronize_event_with_timeout(event: int, timeout: int) -> int:
    return c.aclrtSynchronizeEventWithTimeout(event, timeout)


def event_elapsed_time(start: int, end: int) -> tuple[float, int]:
    return give(c.aclrtEventElapsedTime, c_float, start, end)


# ---- memory ----


def malloc(size: int, policy: int) -> tuple[int, int]:
    return give(c.aclrtMalloc, c_void_p, size, policy)


def malloc_align32(size: int, policy: int) -> tuple[int, int]:
    return give(c.aclrtMallocAlign32, c_void_p, size, policy)


def malloc_cached(size: int, policy: int) -> tuple[int, int]:
    return give(c.aclrtMallocCached, c_void_p, size, policy)


def free(address: int) -> int:
    return c.aclrtFree(address)


def malloc_host(size: int) -> tuple[int, int]:
    return give(c.aclrtMallocHost, c_void_p, size)


def free_host(address: int) -> int:
    return c.aclrtFreeHost(address)


def get_mem_info(attr: int) -> tuple[int, int, int]:
    free_bytes, total_bytes = c_size_t(), c_size_t()
    ret = c.aclrtGetMemInfo(attr, byref(free_bytes), byref(total_bytes))
    return free_bytes.value, total_bytes.value, ret


def memcpy(dst: int, dest_max: int, src: int, count: int, kind: int) -> int:
    return c.aclrtMemcpy(dst, dest_max, src, count, kind)


def memcpy_async(dst: int, dest_max: int, src: int, count: int, kind: int, stream: int) -> int:
    return c.aclrtMemcpyAsync(dst, dest_max, src, count, kind, stream)


def memcpy_2d(dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int) -> int:
    return c.aclrtMemcpy2d(dst, dpitch, src, spitch, width, height, kind)


def memcpy_2d_async(
    dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int, stream: int
) -> int:
    return c.aclrtMemcpy2dAsync(dst, dpitch, src, spitch, width, height, kind, stream)


def memset(address: int, max_count: int, value: int, count: int) -> int:
    return c.aclrtMemset(address, max_count, value, count)


def memset_async(address: int, max_count: int, value: int, count: int, stream: int) -> int:
    return c.aclrtMemsetAsync(address, max_count, value, count, stream)
