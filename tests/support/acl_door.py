"""Calls through the ACL door with the data of arrays: what a careful C program does, in few words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes  # noqa: F401  gives NumPy its bfloat16
import numpy as np

from acltwin import acl
from acltwin.acl import constants
from acltwin.ops import OpSpec
from acltwin.ops.spec import CallCase, TensorCase, Value
from support.values import Array

GUARD = 4  # elements in front of a view, so that offsets are never 0; a mask begins at a multiple of 4 bytes


@dataclass(frozen=True)
class Refusal:
    """Where a call ended, and why."""

    code: int
    message: str


@dataclass(frozen=True)
class Placed:
    """A tensor on the device: its handle, and where its storage lies."""

    handle: int
    address: int
    storage: Array  # what was copied there; the view's place in it is `offset` and `strides`
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int

    def read(self) -> Array:
        """The tensor's elements now."""
        memory = np.empty_like(self.storage)
        kind = constants.ACL_MEMCPY_DEVICE_TO_HOST
        assert acl.rt.memcpy(memory.ctypes.data, memory.nbytes, self.address, memory.nbytes, kind) == 0
        steps = [stride * memory.itemsize for stride in self.strides]
        return np.lib.stride_tricks.as_strided(memory[self.offset :], self.shape, steps).copy()


class Door:
    """A device and a stream with what a test puts there; all of it ends with ``close``."""

    def __init__(self) -> None:
        assert acl.init() == 0, acl.get_recent_err_msg()
        assert acl.rt.set_device(0) == 0
        self.stream, ret = acl.rt.create_stream()
        assert ret == 0
        self._tensors: list[int] = []
        self._arrays: list[int] = []
        self._float_arrays: list[int] = []

    def close(self) -> None:
        for tensor in self._tensors:
            assert acl.destroy_tensor(tensor) == 0
        for array in self._arrays:
            assert acl.destroy_int_array(array) == 0
        for array in self._float_arrays:
            assert acl.destroy_float_array(array) == 0
        assert acl.rt.destroy_stream(self.stream) == 0
        assert acl.rt.reset_device(0) == 0
        assert acl.finalize() == 0

    def block(self, data: Array) -> int:
        address, ret = acl.rt.malloc(max(data.nbytes, 1), 0)
        assert ret == 0
        assert acl.rt.memcpy(address, data.nbytes, data.ctypes.data, data.nbytes, 1) == 0
        return address

    def _describe(
        self,
        shape: Sequence[int],
        dtype: str,
        strides: Sequence[int],
        offset: int,
        format: str,
        storage: Array,
        address: int,
    ) -> Placed:
        handle = acl.create_tensor(
            shape, constants.DATA_TYPES[dtype], strides, offset, constants.FORMATS[format], storage.shape, address
        )
        assert handle
        self._tensors.append(handle)
        return Placed(handle, address, storage, tuple(shape), tuple(strides), offset)

    def place(self, array: Array, format: str = "ND") -> Placed:
        """A view with the array's own strides, with an offset, in a 1-D storage."""
        steps = [step // array.itemsize for step in array.strides]
        low = sum(min(0, (n - 1) * step) for n, step in zip(array.shape, steps, strict=True)) if array.size else 0
        high = sum(max(0, (n - 1) * step) for n, step in zip(array.shape, steps, strict=True)) if array.size else -1
        storage = np.zeros(GUARD + high - low + 1 + GUARD, array.dtype)
        offset = GUARD - low
        if array.size:
            view = np.lib.stride_tricks.as_strided(storage[offset:], array.shape, array.strides)
            view[...] = array
        return self._describe(array.shape, array.dtype.name, steps, offset, format, storage, self.block(storage))

    def place_case(self, case: TensorCase) -> Placed:
        """A tensor of a specification, however impossible its shape; as little storage as it can have."""
        strides = list(case.strides) if case.strides is not None else _contiguous(case.shape)
        possible = all(n >= 0 for n in case.shape)
        reach = sum((n - 1) * step for n, step in zip(case.shape, strides, strict=True)) if possible else 0
        storage = np.zeros(reach + 1 if 0 <= reach < 1 << 20 else 1, case.dtype)
        if case.values is not None:
            storage[:] = case.values
        return self._describe(case.shape, case.dtype, strides, 0, case.format, storage, self.block(storage))

    def int_array(self, values: Sequence[int]) -> int:
        handle = acl.create_int_array(values)
        assert handle
        self._arrays.append(handle)
        return handle

    def float_array(self, values: Sequence[float]) -> int:
        handle = acl.create_float_array(values)
        assert handle
        self._float_arrays.append(handle)
        return handle

    def argument(self, value: Value | Placed | Array) -> Any:
        if isinstance(value, TensorCase):
            return self.place_case(value).handle
        if isinstance(value, Placed):
            return value.handle
        if isinstance(value, tuple) and any(isinstance(one, float) for one in value):
            return self.float_array(value)
        if isinstance(value, tuple):
            return self.int_array(value)  # type: ignore[arg-type]
        return 0 if value is None else value

    def arguments(self, spec: OpSpec, arguments: Mapping[str, Any]) -> list[Any]:
        """In documented order, as the binding takes them; a null text is None."""
        values = [(argument.kind, arguments[argument.name]) for argument in spec.arguments]
        return [value if kind == "string" else self.argument(value) for kind, value in values]

    def plan(self, spec: OpSpec, arguments: Mapping[str, Any]) -> tuple[int, int, int]:
        """Phase 1: (workspace_size, executor, ret)."""
        values = self.arguments(spec, arguments)
        result: tuple[int, int, int] = getattr(acl, f"{spec.name}_get_workspace_size")(*values)
        return result

    def run(self, spec: OpSpec, arguments: Mapping[str, Any]) -> Refusal | None:
        """Both phases and synchronisation."""
        size, executor, ret = self.plan(spec, arguments)
        if ret == 0:
            workspace = acl.rt.malloc(size, 0)[0] if size else 0
            ret = getattr(acl, spec.name)(workspace, size, executor, self.stream)
        if ret == 0:
            ret = acl.rt.synchronize_stream(self.stream)
        return Refusal(ret, acl.get_recent_err_msg()) if ret else None

    def run_case(self, spec: OpSpec, call: CallCase) -> tuple[Refusal | None, list[Array]]:
        """A call of a specification: how it ended, and the results' elements."""
        placed: dict[str, Placed] = {}
        for result in spec.results:
            tensor = call.arguments[result.name]
            assert isinstance(tensor, TensorCase)
            placed[result.name] = self.place_case(tensor)
        refusal = self.run(spec, {**call.arguments, **placed})
        return refusal, [tensor.read() for tensor in placed.values()]


OpenDoor = Callable[..., Door]
"""``open_door(profile="device", soc="Ascend950")``"""


def _contiguous(shape: Sequence[int]) -> list[int]:
    strides, stride = [], 1
    for n in reversed(shape):
        strides.append(stride)
        stride = max(stride * n, -(2**62)) if abs(stride * n) < 2**62 else 0
    return strides[::-1]
