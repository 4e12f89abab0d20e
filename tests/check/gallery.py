"""What the Python programs of the gallery share, so that each shows little but its mistake.

A program is a function with a line ``# finds: ...`` above it: what check mode must report, and nothing else. ``fixed``
asks for the same program without the mistake, which must give no finding at all. ``python race.py NAME [fixed]`` runs
one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import numpy as np

from acltwin import acl
from acltwin.acl import constants as c

Program = Callable[[bool], None]

GRADIENTS = np.arange(16, dtype=np.float32)  # they flow into the two cells of a result
RESULT_BYTES = 8
LARGE, SMALL = (1, 1, 2, 2, 4), (1, 1, 1, 1, 2)


def ok(ret: int) -> None:
    if ret != c.ACL_SUCCESS:
        raise SystemExit(f"{ret}: {acl.get_recent_err_msg()}")


def worked(ret: int) -> bool:
    """For calls that a mistake lets fail: says so, and the program goes on."""
    if ret != c.ACL_SUCCESS:
        print(f"status {ret}: {acl.get_recent_err_msg()}")
    return ret == c.ACL_SUCCESS


def begin() -> int:
    """A device and a stream on it."""
    ok(acl.init())
    ok(acl.rt.set_device(0))
    stream, ret = acl.rt.create_stream()
    ok(ret)
    return stream


def end(stream: int, *blocks: int) -> None:
    for block in blocks:
        ok(acl.rt.free(block))
    ok(acl.rt.destroy_stream(stream))
    ok(acl.rt.reset_device(0))
    ok(acl.finalize())


def malloc(size: int) -> int:
    block, ret = acl.rt.malloc(size, c.ACL_MEM_MALLOC_HUGE_FIRST)
    ok(ret)
    return block


def write(block: int, data: np.ndarray) -> None:
    ok(acl.rt.memcpy(block, data.nbytes, data.ctypes.data, data.nbytes, c.ACL_MEMCPY_HOST_TO_DEVICE))


def read(block: int, size: int) -> np.ndarray:
    seen = np.empty(size // 4, np.float32)
    worked(acl.rt.memcpy(seen.ctypes.data, size, block, size, c.ACL_MEMCPY_DEVICE_TO_HOST))
    return seen


def gradients() -> int:
    block = malloc(GRADIENTS.nbytes)
    write(block, GRADIENTS)
    return block


def describe(shape: Sequence[int], block: int) -> int:
    return acl.create_tensor(shape, c.ACL_FLOAT, None, 0, c.ACL_FORMAT_NCDHW, shape, block)


class Upsample:
    """The gradient of doubling a 1x1x2 volume: 16 floats in, 2 out, no workspace."""

    def __init__(self, source: int, result: int) -> None:
        self.grad_out, self.grad_input = describe(LARGE, source), describe(SMALL, result)
        self.output_size, self.input_size = acl.create_int_array(LARGE[2:]), acl.create_int_array(SMALL)
        self.executor = 0

    def phase1(self) -> int:
        _, self.executor, ret = acl.upsample_nearest3d_backward_get_workspace_size(
            self.grad_out, self.output_size, self.input_size, 2.0, 2.0, 2.0, self.grad_input
        )
        return ret

    def phase2(self, stream: int) -> int:
        return acl.upsample_nearest3d_backward(0, 0, self.executor, stream)

    def launch(self, stream: int) -> None:
        ok(self.phase1())
        ok(self.phase2(stream))

    def close(self) -> None:
        ok(acl.destroy_tensor(self.grad_out))
        ok(acl.destroy_tensor(self.grad_input))
        ok(acl.destroy_int_array(self.output_size))
        ok(acl.destroy_int_array(self.input_size))


class Pool:
    """The gradient of pooling 2x2x2 cells into one, 32 bytes: it needs a workspace."""

    def __init__(self) -> None:
        self.result = malloc(32)
        self.blocks = [malloc(4), malloc(32), malloc(4), self.result]
        data = (GRADIENTS[:1], GRADIENTS[:8], np.array([7], np.int32))
        for block, values in zip(self.blocks, data, strict=False):
            write(block, values)
        one, eight = (1, 1, 1, 1, 1), (1, 1, 2, 2, 2)
        kinds = ((one, c.ACL_FLOAT), (eight, c.ACL_FLOAT), (one, c.ACL_INT32), (eight, c.ACL_FLOAT))
        self.tensors = [
            acl.create_tensor(shape, kind, None, 0, c.ACL_FORMAT_NCDHW, shape, block)
            for (shape, kind), block in zip(kinds, self.blocks, strict=True)
        ]
        self.arrays = [acl.create_int_array([size] * 3) for size in (2, 2, 0, 1)]
        self.workspace_size, self.executor, ret = acl.max_pool3d_with_argmax_backward_get_workspace_size(
            *self.tensors[:3], *self.arrays, False, self.tensors[3]
        )
        ok(ret)

    def phase2(self, workspace: int, size: int, stream: int) -> int:
        return acl.max_pool3d_with_argmax_backward(workspace, size, self.executor, stream)

    def close(self) -> None:
        for tensor in self.tensors:
            ok(acl.destroy_tensor(tensor))
        for array in self.arrays:
            ok(acl.destroy_int_array(array))
        for block in self.blocks:
            ok(acl.rt.free(block))


def main(programs: dict[str, object]) -> None:
    """Run the program that the command line names."""
    program = programs[sys.argv[1]]
    assert callable(program)
    program(sys.argv[2:] == ["fixed"])
