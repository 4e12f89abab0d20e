"""Whatever comes through the door, an answer comes back: a code with a message, never a crash, never an exception."""

from __future__ import annotations

import ctypes
import math
import random
from typing import Any

import numpy as np
import pytest

from acltwin import _core, acl
from acltwin.ops import INTERFACES, OpSpec
from support.acl_door import Door, OpenDoor

SIZES = (0, 1, 2, 3, 5, -1, 2**20 + 1, 2**31, 2**40, 2**62, 2**63 - 1, -(2**63))
SCALES = (0.0, 1.0, 2.0, -1.0, 50.0, 51.0, 1e-300, 1e300, math.inf, -math.inf, math.nan)
TYPES = (0, 1, 2, 3, 9, 11, 27, -1, 13, 99, -(2**31))
FORMATS = (30, 27, 0, 1, 2, 3, 33, 54, -1, 99)
FEW_ELEMENTS = 10_000


class Garbage:
    """Arguments that are wrong in every way there is."""

    def __init__(self, door: Door, choice: random.Random) -> None:
        self.door, self.choice = door, choice
        self.block = door.block(np.zeros(64, np.float32))
        self.host = np.zeros(64, np.float32)
        self.dead = acl.create_tensor((1,), 0, None, 0, 2, (1,), 0)
        assert acl.destroy_tensor(self.dead) == 0
        self.created: list[int] = []

    def numbers(self, most: int) -> list[int]:
        return [self.choice.choice(SIZES) for _ in range(self.choice.randint(0, most))]

    def address(self) -> int:
        anywhere = (0, 1, self.block, self.block + 4, self.block + 1, self.host.ctypes.data, 2**63, 2**64 - 1)
        return self.choice.choice(anywhere)

    def tensor(self) -> int:
        dims = self.numbers(9)
        strides = None if self.choice.random() < 0.3 else [self.choice.choice(SIZES) for _ in dims]
        kind, layout = self.choice.choice(TYPES), self.choice.choice(FORMATS)
        offset = self.choice.choice(SIZES)
        tensor = acl.create_tensor(dims, kind, strides, offset, layout, self.numbers(9), self.address())
        self.created.append(tensor)
        return tensor

    def handle(self) -> int:
        executor_or_stream = (0, 1, 12345, self.dead, self.door.stream, 2**63, 2**64 - 1, self.host.ctypes.data)
        return self.choice.choice(executor_or_stream)

    def argument(self, kind: str) -> Any:
        if kind in ("double", "float"):
            return self.choice.choice(SCALES)
        if kind == "bool":
            return self.choice.random() < 0.5
        if kind == "string":
            return self.choice.choice((None, b"", b"near", b"nearest-exact", b"bilinear\xff", b"{mode}", b"x" * 5000))
        if self.choice.random() < 0.3:
            return self.handle()
        if kind == "float_array":
            return self.door.float_array([self.choice.choice(SCALES) for _ in range(self.choice.randint(0, 6))])
        return self.tensor() if kind == "tensor" else self.door.int_array(self.numbers(6))

    def clear(self) -> None:
        while self.created:
            acl.destroy_tensor(self.created.pop())


def elements(spec: OpSpec, values: dict[str, Any]) -> int:
    """How much work a call would be, as far as its tensors tell."""
    count = 0
    for argument in spec.arguments:
        if argument.kind == "tensor":
            shape, ret = acl.get_view_shape(values[argument.name])
            count += math.prod(shape) if ret == 0 else 0
    return count


@pytest.mark.parametrize("spec", INTERFACES.values(), ids=lambda spec: spec.name)
@pytest.mark.parametrize("profile", ["documented", "device"])
def test_mutated_calls(open_door: OpenDoor, spec: OpSpec, profile: str) -> None:
    door = open_door(profile)
    choice = random.Random(f"{spec.name} {profile}")
    garbage = Garbage(door, choice)
    valid = {name: door.argument(value) for name, value in spec.valid.arguments.items()}
    ended = {"refused": 0, "ran": 0}
    for _ in range(1500):
        changed = choice.sample(spec.arguments, choice.choice((1, 1, 1, 2, len(spec.arguments))))
        values = {**valid, **{argument.name: garbage.argument(argument.kind) for argument in changed}}
        size, executor, ret = getattr(acl, f"{spec.name}_get_workspace_size")(*values.values())
        if ret == 0:
            if elements(spec, values) > FEW_ELEMENTS:
                assert acl.destroy_acl_op_executor(executor) == 0
                continue
            workspace = garbage.address() if size and choice.random() < 0.5 else acl.rt.malloc(max(size, 1), 0)[0]
            stream = garbage.handle() if choice.random() < 0.2 else door.stream
            ret = getattr(acl, spec.name)(workspace, size, executor, stream) or acl.rt.synchronize_stream(door.stream)
        message = acl.get_recent_err_msg()
        assert (ret == 0) == (message == ""), (ret, message)
        ended["refused" if ret else "ran"] += 1
        garbage.clear()
    assert ended["refused"] > 900


def test_every_function_with_invented_handles(door: Door) -> None:
    garbage = Garbage(door, random.Random(5))
    functions = [
        *(getattr(acl, name) for name in dir(acl) if name.startswith("destroy_")),
        acl.get_view_shape, acl.get_view_strides, acl.get_storage_shape, acl.get_view_offset, acl.get_format,
        acl.get_data_type, acl.get_int_array_size, acl.get_raw_tensor_addr, acl.set_acl_op_executor_repeatable,
        acl.rt.destroy_context, acl.rt.destroy_event, acl.rt.query_event_status, acl.rt.synchronize_event,
        acl.rt.set_context, acl.rt.free, acl.rt.free_host,
    ]  # fmt: skip
    tensor = door.place(np.zeros(1, np.float32)).handle
    for function in functions:
        for value in (1, 12345, garbage.dead, 2**63, 2**64 - 1, tensor + 1, garbage.host.ctypes.data):
            answer = function(value)
            ret = answer[-1] if isinstance(answer, tuple) else answer
            assert ret != 0, function
            assert str(ret) in acl.get_recent_err_msg()
    for value in (1, 12345, garbage.dead, 2**64 - 1):
        for ret in (
            acl.rt.record_event(value, door.stream),
            acl.rt.stream_wait_event(value, value),
            acl.rt.synchronize_stream(value),
            acl.rt.destroy_stream(value),
            acl.rt.destroy_stream_force(value),
            acl.rt.event_elapsed_time(value, value)[1],
            acl.set_tensor_addr(value, 0, tensor, 0),
            acl.rt.memcpy(value, 8, garbage.host.ctypes.data, 8, 1),
            acl.rt.memset(value, 8, 0, 8),
        ):
            assert ret != 0


def test_numbers_that_no_enumeration_has() -> None:
    """Enumerations and booleans come from C, where they may hold any number."""
    library = ctypes.CDLL(_core.library_path())
    for name in ("aclCreateScalar", "aclCreateBoolArray"):
        getattr(library, name).restype = ctypes.c_void_p
    library.aclDataTypeSize.restype = ctypes.c_size_t
    value = (ctypes.c_ubyte * 16)(*range(70, 86))
    for kind in (-(2**31), -1, 5, 13, 64, 1000, 2**31 - 1):
        assert library.aclDataTypeSize(ctypes.c_int(kind)) == 0
        assert library.aclCreateScalar(value, ctypes.c_int(kind)) is None
        assert f"dataType is {kind}, expected a type that scalars have" in acl.get_recent_err_msg()
        tensor = acl.create_tensor((1,), kind, None, 0, kind, (1,), 0)
        assert acl.get_data_type(tensor) == (kind, 0)
        assert acl.get_format(tensor) == (kind, 0)
        assert acl.destroy_tensor(tensor) == 0
        assert acl.rt.memcpy(0, 1, 0, 1, kind) == 100000
    array = library.aclCreateBoolArray(value, ctypes.c_uint64(16))
    assert library.aclDestroyBoolArray(ctypes.c_void_p(array)) == 0
    scalar = library.aclCreateScalar(value, ctypes.c_int(0))
    assert library.aclDestroyScalar(ctypes.c_void_p(scalar)) == 0
