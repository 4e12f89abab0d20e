"""Makes one call over and over, each time with another of Python's own requests for memory failing inside of it.

    LD_PRELOAD=failing_memory.so python python_doors.py CALL

Each ends with a MemoryError or with the right result, and the next call is right. Calls with arrays hold nothing
afterwards; those through C may, as a handle that Python has no memory for is lost. Prints how many requests were
failed. The arrays are made before, as NumPy's own functions do worse.
"""

from __future__ import annotations

import ctypes
import gc
import itertools
import sys
from collections.abc import Callable
from importlib import import_module

import numpy as np

import acltwin
from acltwin import acl
from acltwin.acl import constants as c

Call = Callable[[], object]
HOOKS = import_module("_testcapi")  # CPython's own; no type checker knows it
REPEATS = 20  # at each request, so that what leaks stands out
LARGE, SMALL = (1, 2, 4, 4, 6), (1, 2, 2, 2, 3)
GRADIENT = np.arange(192, dtype=np.float32).reshape(LARGE) % 7 - 3
EXPECTED = GRADIENT.reshape(1, 2, 2, 2, 2, 2, 3, 2).sum((3, 5, 7))
MISALIGNED = np.zeros(GRADIENT.nbytes + 1, np.uint8)[1:].view(np.float32).reshape(LARGE)
MISALIGNED[...] = GRADIENT
BATCHES = [np.repeat(GRADIENT, batch, 0) for batch in range(1, 20)]  # more than there are plans of recent calls
NEXT = itertools.cycle(BATCHES)


def array() -> object:
    return acltwin.upsample_nearest3d_backward(GRADIENT, LARGE[2:], SMALL)


def new_array() -> object:
    """Never planned before."""
    gradient = next(NEXT)
    return acltwin.upsample_nearest3d_backward(gradient, LARGE[2:], (len(gradient), *SMALL[1:]))[:1]


def misaligned() -> object:
    return acltwin.upsample_nearest3d_backward(MISALIGNED, LARGE[2:], SMALL)


def refused() -> object:
    """A call with a mistake."""
    try:
        return acltwin.upsample_nearest3d_backward(GRADIENT, (4, 4, 5), SMALL)
    except ValueError as error:
        if "[grad_out_shape]" not in str(error):
            raise
        return EXPECTED


def pooling() -> object:
    values, places = acltwin.max_pool3d_with_argmax(GRADIENT, (1, 1, 1))
    restored = acltwin.max_unpool3d(values, places, LARGE[2:], (1, 1, 1))
    return acltwin.upsample_nearest3d_backward(restored, LARGE[2:], SMALL)


def through_c() -> Call:
    """Both phases on objects that are there."""
    acl.init(), acl.rt.set_device(0)
    blocks = [acl.rt.malloc(size, c.ACL_MEM_MALLOC_HUGE_FIRST)[0] for size in (GRADIENT.nbytes, EXPECTED.nbytes)]
    shapes = (LARGE, SMALL)
    tensors = [
        acl.create_tensor(shape, c.ACL_FLOAT, None, 0, c.ACL_FORMAT_NCDHW, shape, block)
        for shape, block in zip(shapes, blocks, strict=True)
    ]
    sizes = acl.create_int_array(LARGE[2:]), acl.create_int_array(SMALL)
    result = np.empty_like(EXPECTED)
    source, target = GRADIENT.ctypes.data, result.ctypes.data

    def call() -> object:
        acl.rt.memcpy(blocks[0], GRADIENT.nbytes, source, GRADIENT.nbytes, c.ACL_MEMCPY_HOST_TO_DEVICE)
        _, executor, ret = acl.upsample_nearest3d_backward_get_workspace_size(
            tensors[0], *sizes, 2.0, 2.0, 2.0, tensors[1]
        )
        ret = ret or acl.upsample_nearest3d_backward(0, 0, executor, 0) or acl.rt.synchronize_stream(0)
        ret = ret or acl.rt.memcpy(target, result.nbytes, blocks[1], result.nbytes, c.ACL_MEMCPY_DEVICE_TO_HOST)
        if ret:
            raise RuntimeError(acl.get_recent_err_msg())
        return result

    return call


def is_spent() -> bool:
    """Whether the failure has happened: otherwise it happens here."""
    try:
        for _ in range(2000):
            bytearray(1)
    except MemoryError:
        return False
    return True


def run_failing(call: Call, request: int) -> tuple[object, Exception | None, bool]:
    result = failure = None
    HOOKS.set_nomemory(request, request + 1)
    try:
        try:
            result = call()
        except Exception as error:
            failure = error
        spent = is_spent()
    finally:
        HOOKS.remove_mem_hooks()
    return result, failure, spent


def expect_right(call: Call) -> None:
    np.testing.assert_array_equal(call(), EXPECTED)


def is_about_memory(failure: Exception) -> bool:
    # CPython 3.11 forgets an exception, whoever raises it, when there is no memory for its traceback.
    forgotten = isinstance(failure, SystemError) and str(failure) == "error return without exception set"
    in_argument = isinstance(failure, ctypes.ArgumentError) and "MemoryError" in str(failure)
    return isinstance(failure, MemoryError) or in_argument or forgotten


def fail_repeatedly(call: Call, request: int) -> int:
    """Fail one request a number of times: how often it was made."""
    made = 0
    for _ in range(REPEATS):
        result, failure, spent = run_failing(call, request)
        made += spent
        if failure is None:
            np.testing.assert_array_equal(result, EXPECTED)
        elif not is_about_memory(failure):
            raise failure
        del result, failure
        expect_right(call)
    gc.collect()
    return made


def main(call: Call, may_lose_handles: bool) -> None:
    faults = ctypes.CDLL(None)
    faults.faults_held.restype = ctypes.c_long
    faults.faults_find_libraries()
    for _ in range(60):  # until everything that is kept for later is there
        expect_right(call)
    fail_repeatedly(call, 0)
    for request in itertools.count():
        before = sys.getallocatedblocks() + faults.faults_held()
        made = fail_repeatedly(call, request)
        grown = sys.getallocatedblocks() + faults.faults_held() - before
        assert may_lose_handles or grown < REPEATS // 2, f"request {request} failed: {grown} more blocks are held"
        if made == 0:
            break
    assert request > 0, "no request was ever failed"
    print(f"{request} requests failed")


if __name__ == "__main__":
    name = sys.argv[1]
    main(through_c() if name == "through_c" else globals()[name], name == "through_c")
