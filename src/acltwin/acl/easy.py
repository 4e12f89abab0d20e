"""The ACL interface for people who prefer exceptions and ``with`` blocks: a thin layer, one object per handle.

>>> import numpy as np
>>> from acltwin.acl import easy
>>> with easy.Device(0) as device, device.stream() as stream:
...     grad_out = device.tensor(np.ones((1, 1, 2, 2, 2), np.float32), "NCDHW")
...     grad_input = device.empty((1, 1, 1, 1, 1), "float32", "NCDHW")
...     stream.run("upsample_nearest3d_backward", grad_out, (2, 2, 2), (1, 1, 1, 1, 1), 0.0, 0.0, 0.0, grad_input)
...     stream.synchronize()
...     print(grad_input.numpy().item())
8.0

A failing call raises :class:`AclError` with the status code and the library's message. What a device has handed out
ends with its ``with`` block.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeAlias, Union

from acltwin import acl
from acltwin._names import did_you_mean
from acltwin.acl import constants, rt
from acltwin.ops import INTERFACES

if TYPE_CHECKING:
    import numpy as np


Argument: TypeAlias = Union["Tensor", Sequence[int], Sequence[float], float, str]


class AclError(RuntimeError):
    """A call failed: ``code`` is its status."""

    def __init__(self, function: str, code: int) -> None:
        self.code = code
        super().__init__(acl.get_recent_err_msg() or f"{function} failed with status {code}")


def check(function: str, ret: int) -> None:
    """Raise unless the status is 0."""
    if ret != constants.ACL_SUCCESS:
        raise AclError(function, ret)


def _created(function: str, handle: int) -> int:
    """The handle; raise if there is none, as such functions have no status."""
    if handle == 0:
        raise AclError(function, constants.ACL_ERROR_BAD_ALLOC)
    return handle


def _one_of(what: str, name: str, known: Mapping[str, object]) -> None:
    if name not in known:
        fix = did_you_mean(name, known) or f"expected one of {', '.join(known)}"
        raise ValueError(f"{what} is {name!r}; {fix}")


class Tensor:
    """A contiguous tensor with its block on the device."""

    def __init__(self, shape: Sequence[int], dtype: str, format: str) -> None:
        _one_of("dtype", dtype, constants.DATA_TYPES)
        _one_of("format", format, constants.FORMATS)
        self.shape, self.dtype = tuple(shape), dtype
        self.nbytes = math.prod(self.shape) * acl.data_type_size(constants.DATA_TYPES[dtype])
        self.address, ret = rt.malloc(max(self.nbytes, 1), constants.ACL_MEM_MALLOC_HUGE_FIRST)
        check("aclrtMalloc", ret)
        data_type, layout = constants.DATA_TYPES[dtype], constants.FORMATS[format]
        try:
            handle = acl.create_tensor(self.shape, data_type, None, 0, layout, self.shape, self.address)
            self.handle = _created("aclCreateTensor", handle)
        except AclError:
            rt.free(self.address)
            raise

    def copy_from(self, array: np.ndarray[Any, Any]) -> None:
        """Copy an array of this shape and dtype to the device."""
        import numpy as np

        if array.shape != self.shape or array.dtype.name != self.dtype:
            raise ValueError(
                f"array is {array.dtype.name} {array.shape}, expected {self.dtype} {self.shape}; convert or reshape it"
            )
        source = np.ascontiguousarray(array)
        to_device = constants.ACL_MEMCPY_HOST_TO_DEVICE
        check("aclrtMemcpy", rt.memcpy(self.address, self.nbytes, source.ctypes.data, self.nbytes, to_device))

    def numpy(self) -> np.ndarray[Any, Any]:
        """A copy of the data. Work that writes them must have been waited for."""
        import ml_dtypes  # noqa: F401  gives NumPy its bfloat16
        import numpy as np

        result = np.empty(self.shape, self.dtype)
        to_host = constants.ACL_MEMCPY_DEVICE_TO_HOST
        check("aclrtMemcpy", rt.memcpy(result.ctypes.data, self.nbytes, self.address, self.nbytes, to_host))
        return result

    def close(self) -> None:
        acl.destroy_tensor(self.handle)
        rt.free(self.address)


class Stream:
    """A stream that runs operators. It keeps their workspaces until it is synchronised."""

    def __init__(self) -> None:
        self.handle, ret = rt.create_stream()
        check("aclrtCreateStream", ret)
        self._workspaces: list[int] = []

    def __enter__(self) -> Stream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.synchronize()
        finally:
            self.close()

    def run(self, operator: str, *arguments: Argument) -> None:
        """Check, plan and queue an operator, named as in ``acl`` or in C; arguments in documented order."""
        operator = {spec.c_name: name for name, spec in INTERFACES.items()}.get(operator, operator)
        _one_of("operator", operator, INTERFACES)
        spec = INTERFACES[operator]
        for name, argument in zip((argument.snake_name for argument in spec.arguments), arguments, strict=False):
            if getattr(argument, "ndim", 0) > 0:
                raise TypeError(
                    f"{operator}: {name} is of type {type(argument).__name__}, expected a tensor on the device; make "
                    "one with device.tensor(array)"
                )
        with contextlib.ExitStack() as arrays:
            kinds = [argument.kind for argument in spec.arguments]
            handles = [_as_c_argument(*pair, arrays) for pair in zip_longest(arguments, kinds[: len(arguments)])]
            size, executor, ret = getattr(acl, f"{operator}_get_workspace_size")(*handles)
        check(spec.phase1_name, ret)
        workspace = 0
        if size > 0:
            workspace, ret = rt.malloc(size, constants.ACL_MEM_MALLOC_HUGE_FIRST)
            check("aclrtMalloc", ret)
            self._workspaces.append(workspace)
        check(spec.c_name, getattr(acl, operator)(workspace, size, executor, self.handle))

    def synchronize(self) -> None:
        """Wait for all that was queued."""
        ret = rt.synchronize_stream(self.handle)
        while self._workspaces:
            rt.free(self._workspaces.pop())
        check("aclrtSynchronizeStream", ret)

    def close(self) -> None:
        rt.destroy_stream(self.handle)


def _as_c_argument(argument: Argument, kind: str | None, arrays: contextlib.ExitStack) -> int | float | bytes:
    if isinstance(argument, Tensor):
        return argument.handle
    if isinstance(argument, str):
        return argument.encode()
    if isinstance(argument, Sequence):
        numbers: Sequence[Any] = argument
        if kind == "float_array":
            array = _created("aclCreateFloatArray", acl.create_float_array(numbers))
            arrays.callback(acl.destroy_float_array, array)
        else:
            array = _created("aclCreateIntArray", acl.create_int_array(numbers))
            arrays.callback(acl.destroy_int_array, array)
        return array
    return argument


class Device:
    """A device, set for the calling thread."""

    def __init__(self, device_id: int = 0) -> None:
        self.id = device_id
        self._tensors: list[Tensor] = []

    def __enter__(self) -> Device:
        ret = acl.init()
        if ret != constants.ACL_ERROR_REPEAT_INITIALIZE:  # somebody else has: that counts, too
            check("aclInit", ret)
        try:
            check("aclrtSetDevice", rt.set_device(self.id))
        except AclError:
            acl.finalize_reference()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._tensors:
            self._tensors.pop().close()
        rt.reset_device(self.id)
        acl.finalize_reference()

    def stream(self) -> Stream:
        return Stream()

    def tensor(self, array: np.ndarray[Any, Any], format: str = "ND") -> Tensor:
        """A tensor with a copy of the array's data."""
        tensor = self.empty(array.shape, array.dtype.name, format)
        tensor.copy_from(array)
        return tensor

    def empty(self, shape: Sequence[int], dtype: str, format: str = "ND") -> Tensor:
        """A tensor for results."""
        tensor = Tensor(shape, dtype, format)
        self._tensors.append(tensor)
        return tensor
