"""``acl.rt``: devices, contexts, streams, events and memory."""

from __future__ import annotations

from ctypes import byref, c_float, c_int, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import TYPE_CHECKING

from acltwin.acl._calls import give, give_last
from acltwin.acl._library import c
from acltwin.acl._mistakes import explained
from acltwin.acl._names import absent, own_names
from acltwin.acl._rt_callbacks import *  # noqa: F403
from acltwin.acl._rt_devices import *  # noqa: F403
from acltwin.acl._rt_memory import *  # noqa: F403

# ---- devices ----


@explained
def set_device(device_id: int) -> int:
    """Make a device's default context this thread's. Counted: each call wants its :func:`reset_device`."""
    return c.aclrtSetDevice(device_id)


@explained
def reset_device(device_id: int) -> int:
    """Take one :func:`set_device` back; the last one ends the device's streams and blocks."""
    return c.aclrtResetDevice(device_id)


@explained
def get_device() -> tuple[int, int]:
    """The device of this thread's context: ``(device_id, ret)``."""
    return give(c.aclrtGetDevice, c_int32)


@explained
def get_device_count() -> tuple[int, int]:
    """How many devices there are: ``(count, ret)``."""
    return give(c.aclrtGetDeviceCount, c_uint32)


@explained
def get_run_mode() -> tuple[int, int]:
    """Where this program runs, ``ACL_HOST`` or ``ACL_DEVICE``: ``(run_mode, ret)``."""
    return give(c.aclrtGetRunMode, c_int)


@explained
def synchronize_device() -> int:
    """Wait for all that is queued on this thread's device."""
    return c.aclrtSynchronizeDevice()


# ---- contexts ----


@explained
def create_context(device_id: int) -> tuple[int, int]:
    """A new context on a device, current in this thread: ``(context, ret)``."""
    return give(c.aclrtCreateContext, c_void_p, device_id)


@explained
def destroy_context(context: int) -> int:
    """End a context of :func:`create_context`, with its streams."""
    return c.aclrtDestroyContext(context)


@explained
def set_context(context: int) -> int:
    """Make a context this thread's."""
    return c.aclrtSetCurrentContext(context)


@explained
def get_context() -> tuple[int, int]:
    """This thread's context: ``(context, ret)``."""
    return give(c.aclrtGetCurrentContext, c_void_p)


@explained
def ctx_set_sys_param_opt(option: int, value: int) -> int:
    """Set an ``ACL_OPT_`` parameter, ``ACL_OPT_DETERMINISTIC`` for instance, in this context and in the process."""
    return c.aclrtCtxSetSysParamOpt(option, value)


@explained
def ctx_get_sys_param_opt(option: int) -> tuple[int, int]:
    """What :func:`ctx_set_sys_param_opt` has set in this context: ``(value, ret)``."""
    return give_last(c.aclrtCtxGetSysParamOpt, c_int64, option)


@explained
def set_sys_param_opt(option: int, value: int) -> int:
    """Set an ``ACL_OPT_`` parameter for the process."""
    return c.aclrtSetSysParamOpt(option, value)


@explained
def get_sys_param_opt(option: int) -> tuple[int, int]:
    """The process's value of an ``ACL_OPT_`` parameter: ``(value, ret)``."""
    return give_last(c.aclrtGetSysParamOpt, c_int64, option)


# ---- streams; 0 is the context's default one ----


@explained
def create_stream() -> tuple[int, int]:
    """A new stream in this context: ``(stream, ret)``."""
    return give(c.aclrtCreateStream, c_void_p)


@explained
def create_stream_with_config(priority: int, flag: int) -> tuple[int, int]:
    """A new stream with a priority and flags, neither of which matters on the twin: ``(stream, ret)``."""
    return give(c.aclrtCreateStreamWithConfig, c_void_p, priority, flag)


@explained
def destroy_stream(stream: int) -> int:
    """End a stream after all that is queued on it."""
    return c.aclrtDestroyStream(stream)


@explained
def destroy_stream_force(stream: int) -> int:
    """End a stream and drop what has not begun."""
    return c.aclrtDestroyStreamForce(stream)


@explained
def synchronize_stream(stream: int) -> int:
    """Wait for all that is queued on a stream; the status is that of the first work that failed."""
    return c.aclrtSynchronizeStream(stream)


@explained
def synchronize_stream_with_timeout(stream: int, timeout: int) -> int:
    """Wait at most ``timeout`` milliseconds; -1 waits for ever."""
    return c.aclrtSynchronizeStreamWithTimeout(stream, timeout)


@explained
def stream_query(stream: int) -> tuple[int, int]:
    """Whether a stream has work left: ``(0 for none or 1, ret)``."""
    return give_last(c.aclrtStreamQuery, c_int, stream)


@explained
def stream_wait_event(stream: int, event: int) -> int:
    """Let a stream wait until an event is reached."""
    return c.aclrtStreamWaitEvent(stream, event)


@explained
def stream_get_id(stream: int) -> tuple[int, int]:
    """A stream's number: ``(id, ret)``."""
    return give_last(c.aclrtStreamGetId, c_int32, stream)


# ---- events ----


@explained
def create_event() -> tuple[int, int]:
    """A new event that keeps its time: ``(event, ret)``."""
    return give(c.aclrtCreateEvent, c_void_p)


@explained
def create_event_with_flag(flag: int) -> tuple[int, int]:
    """A new event with ``ACL_EVENT_SYNC``, ``ACL_EVENT_TIME_LINE`` or both: ``(event, ret)``."""
    return give(c.aclrtCreateEventWithFlag, c_void_p, flag)


@explained
def create_event_ex_with_flag(flag: int) -> tuple[int, int]:
    """The same as :func:`create_event_with_flag` here: ``(event, ret)``."""
    return give(c.aclrtCreateEventExWithFlag, c_void_p, flag)


@explained
def destroy_event(event: int) -> int:
    """End an event."""
    return c.aclrtDestroyEvent(event)


@explained
def record_event(event: int, stream: int) -> int:
    """Queue an event: it is reached when all work before it is done."""
    return c.aclrtRecordEvent(event, stream)


@explained
def reset_event(event: int, stream: int) -> int:
    """Queue that an event counts as not reached again."""
    return c.aclrtResetEvent(event, stream)


@explained
def query_event_status(event: int) -> tuple[int, int]:
    """Whether an event is reached: ``(0 or 1, ret)``."""
    return give_last(c.aclrtQueryEventStatus, c_int, event)


@explained
def synchronize_event(event: int) -> int:
    """Wait until an event is reached."""
    return c.aclrtSynchronizeEvent(event)


@explained
def synchronize_event_with_timeout(event: int, timeout: int) -> int:
    """Wait for an event at most ``timeout`` milliseconds; -1 waits for ever."""
    return c.aclrtSynchronizeEventWithTimeout(event, timeout)


@explained
def event_elapsed_time(start: int, end: int) -> tuple[float, int]:
    """The time between two events that were reached: ``(milliseconds, ret)``."""
    return give(c.aclrtEventElapsedTime, c_float, start, end)


@explained
def event_get_timestamp(event: int) -> tuple[int, int]:
    """When an event was reached: ``(microseconds since the machine was started, ret)``."""
    return give_last(c.aclrtEventGetTimestamp, c_uint64, event)


# ---- memory ----


@explained
def malloc(size: int, policy: int) -> tuple[int, int]:
    """A block on this thread's device: ``(address, ret)``. The policy chooses pages, 0 is always right."""
    return give(c.aclrtMalloc, c_void_p, size, policy)


@explained
def malloc_align32(size: int, policy: int) -> tuple[int, int]:
    """A block without the 32 bytes of padding that :func:`malloc` adds: ``(address, ret)``."""
    return give(c.aclrtMallocAlign32, c_void_p, size, policy)


@explained
def malloc_cached(size: int, policy: int) -> tuple[int, int]:
    """A block that a device would cache: ``(address, ret)``."""
    return give(c.aclrtMallocCached, c_void_p, size, policy)


@explained
def free(address: int) -> int:
    """Give back a block of :func:`malloc`."""
    return c.aclrtFree(address)


@explained
def malloc_host(size: int) -> tuple[int, int]:
    """Host memory that a device can copy from quickly: ``(address, ret)``."""
    return give(c.aclrtMallocHost, c_void_p, size)


@explained
def free_host(address: int) -> int:
    """Give back memory of :func:`malloc_host`."""
    return c.aclrtFreeHost(address)


@explained
def get_mem_info(attr: int) -> tuple[int, int, int]:
    """Memory of the kind ``attr``, ``ACL_HBM_MEM`` for instance: ``(free, total, ret)`` in bytes."""
    free_bytes, total_bytes = c_size_t(), c_size_t()
    ret = c.aclrtGetMemInfo(attr, byref(free_bytes), byref(total_bytes))
    return free_bytes.value, total_bytes.value, ret


@explained
def memcpy(dst: int, dest_max: int, src: int, count: int, kind: int) -> int:
    """Copy ``count`` bytes; ``kind`` is ``ACL_MEMCPY_HOST_TO_DEVICE`` or another way, ``dest_max`` the room there."""
    return c.aclrtMemcpy(dst, dest_max, src, count, kind)


@explained
def memcpy_async(dst: int, dest_max: int, src: int, count: int, kind: int, stream: int) -> int:
    """Queue a copy: :func:`memcpy` in its turn on a stream.

    Of memory that is not :func:`malloc_host`'s, an array's for instance, it returns after the copy.
    """
    return c.aclrtMemcpyAsync(dst, dest_max, src, count, kind, stream)


@explained
def memcpy_2d(dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int) -> int:
    """Copy ``height`` rows of ``width`` bytes; the pitches are from one row's start to the next one's."""
    return c.aclrtMemcpy2d(dst, dpitch, src, spitch, width, height, kind)


@explained
def memcpy_2d_async(
    dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int, stream: int
) -> int:
    """Queue a copy of rows: :func:`memcpy_2d` in its turn on a stream."""
    return c.aclrtMemcpy2dAsync(dst, dpitch, src, spitch, width, height, kind, stream)


@explained
def memset(address: int, max_count: int, value: int, count: int) -> int:
    """Set ``count`` bytes to ``value``; ``max_count`` is the room there."""
    return c.aclrtMemset(address, max_count, value, count)


@explained
def memset_async(address: int, max_count: int, value: int, count: int, stream: int) -> int:
    """Queue a :func:`memset` in its turn on a stream."""
    return c.aclrtMemsetAsync(address, max_count, value, count, stream)


if not TYPE_CHECKING:  # type checkers find typos for themselves

    def __getattr__(name: str) -> object:
        raise absent(__name__, name)


def __dir__() -> list[str]:
    return own_names(globals())
