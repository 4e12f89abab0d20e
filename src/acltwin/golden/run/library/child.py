"""The process of one library: calls in, statuses out, data in memory that the parent sees, too.

``ACLTWIN_LIBRARY`` says which library, as for every program that uses ``acltwin.acl``. The arguments are two open file
descriptors: the connection and the memory.
"""

from __future__ import annotations

import mmap
import signal
import sys
import time
from contextlib import ExitStack
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from acltwin import acl
from acltwin.acl import constants, rt
from acltwin.acl.easy import check
from acltwin.golden.cases.dtypes import Array
from acltwin.golden.run.library.calls import FILLING, Block, Call, Hello, Reply
from acltwin.golden.run.processes import end_with_parent
from acltwin.ops import OPERATORS

_TO_DEVICE, _TO_HOST = constants.ACL_MEMCPY_HOST_TO_DEVICE, constants.ACL_MEMCPY_DEVICE_TO_HOST


def main(connection_number: int, memory_number: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business
    end_with_parent()  # even if it hangs in a call then
    connection: Connection[Any, Any] = Connection(connection_number)
    try:
        check("aclInit", acl.init())
        check("aclrtSetDevice", rt.set_device(0))
        hello = Hello(acl.get_soc_name(), _computes_on_host())
    except (OSError, RuntimeError, AttributeError) as error:
        connection.send(Hello(problem=str(error)))
        return
    connection.send(hello)
    while True:
        try:
            call = connection.recv()
        except (EOFError, OSError):
            break
        with mmap.mmap(memory_number, call.nbytes) as mapped:
            memory = np.frombuffer(mapped, np.uint8)
            reply = _answered(call, memory)
            del memory
        connection.send(reply)
    rt.reset_device(0)
    acl.finalize()


def _computes_on_host() -> bool:
    """A device's memory is no part of the process, or is mapped from the driver's file; a twin's is like any other."""
    with ExitStack() as cleaning:
        address = _allocated(1, cleaning)
        for line in Path("/proc/self/maps").read_text().splitlines():
            span, _, _, _, _, *file = line.split(maxsplit=5)
            first, last = (int(word, 16) for word in span.split("-"))
            if first <= address < last:
                return not file or not file[0].startswith("/dev/") or file[0].startswith("/dev/shm/")
    return False


def _answered(call: Call, memory: Array) -> Reply:
    try:
        with ExitStack() as cleaning:
            return _run(call, memory, cleaning)
    except AttributeError as error:  # the library lacks a function
        return Reply(OPERATORS[call.operator].phase1_name, constants.ACL_ERROR_API_NOT_SUPPORT, str(error))


def _run(call: Call, memory: Array, cleaning: ExitStack) -> Reply:
    spec = OPERATORS[call.operator]
    addresses = {block.name: _placed(block, memory, cleaning) for block in call.blocks}
    values = [_value(argument, addresses, cleaning) for argument in call.arguments]
    stream, ret = rt.create_stream()
    check("aclrtCreateStream", ret)
    cleaning.callback(rt.destroy_stream, stream)
    acl.get_recent_err_msg()  # what is read from here on is of this call
    start = time.perf_counter()
    size, executor, ret = getattr(acl, f"{call.operator}_get_workspace_size")(*values)
    if ret:
        return Reply(spec.phase1_name, ret, acl.get_recent_err_msg())
    workspace = 0
    if size:
        workspace = _allocated(size, cleaning)
        check("aclrtMemset", rt.memset(workspace, size, FILLING, size))
    ret = getattr(acl, call.operator)(workspace, size, executor, stream)
    if ret:
        return Reply(spec.c_name, ret, acl.get_recent_err_msg(), size)
    ret = rt.synchronize_stream(stream)
    seconds = time.perf_counter() - start
    if ret:
        return Reply("aclrtSynchronizeStream", ret, acl.get_recent_err_msg(), size)
    written = [block.name for block in call.blocks if _taken_back(block, addresses[block.name], memory)]
    return Reply("aclrtSynchronizeStream", 0, "", size, tuple(written), seconds)


def _allocated(size: int, cleaning: ExitStack) -> int:
    address, ret = rt.malloc(max(size, 1), constants.ACL_MEM_MALLOC_HUGE_FIRST)
    check("aclrtMalloc", ret)
    cleaning.callback(rt.free, address)
    return address


def _placed(block: Block, memory: Array, cleaning: ExitStack) -> int:
    """The address of a block on the device with the storage's data."""
    address = _allocated(block.nbytes, cleaning)
    if block.nbytes:
        here = memory[block.start : block.start + block.nbytes].ctypes.data
        check("aclrtMemcpy", rt.memcpy(address, block.nbytes, here, block.nbytes, _TO_DEVICE))
    return address


def _value(argument: Block | tuple[int, ...] | float, addresses: dict[str, int], cleaning: ExitStack) -> int | float:
    if isinstance(argument, tuple):
        array = acl.create_int_array(argument)
        cleaning.callback(acl.destroy_int_array, array)
        return array
    if not isinstance(argument, Block):
        return argument
    tensor = acl.create_tensor(
        argument.shape,
        constants.DATA_TYPES[argument.dtype],
        argument.strides,
        argument.offset,
        constants.FORMATS[argument.format],
        argument.storage,
        addresses[argument.name],
    )
    cleaning.callback(acl.destroy_tensor, tensor)
    return tensor


def _taken_back(block: Block, address: int, memory: Array) -> bool:
    """Copies a result's storage back; of an input, whether it has changed."""
    if not block.nbytes:
        return False
    now = np.empty(block.nbytes, np.uint8)
    check("aclrtMemcpy", rt.memcpy(now.ctypes.data, block.nbytes, address, block.nbytes, _TO_HOST))
    here = memory[block.start : block.start + block.nbytes]
    if block.is_result:
        here[:] = now
        return False
    return bool((here != now).any())


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
