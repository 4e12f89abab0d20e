"""Tensors, arrays and executors: what pyACL has no functions for."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from ctypes import POINTER, c_int, c_int64, c_uint64, c_void_p
from typing import Any

from acltwin.acl._calls import give_last, packed
from acltwin.acl._library import c


def create_tensor(
    view_dims: Sequence[int],
    data_type: int,
    strides: Sequence[int] | None,
    offset: int,
    format: int,
    storage_dims: Sequence[int],
    tensor_data: int,
) -> int:
    """Describe data: strides and offset in elements, ``None`` meaning contiguous. 0 when it is refused."""
    tensor = c.aclCreateTensor(
        packed("q", view_dims),
        len(view_dims),
        data_type,
        packed("q", strides),
        offset,
        format,
        packed("q", storage_dims),
        len(storage_dims),
        tensor_data,
    )
    return tensor or 0


def create_scalar(address: int, data_type: int) -> int:
    """A copy of the value at an address."""
    return c.aclCreateScalar(address, data_type) or 0


def _create_array(function: Callable[..., int], code: str, values: Sequence[Any]) -> int:
    return function(packed(code, values), len(values)) or 0


def create_int_array(values: Sequence[int]) -> int:
    return _create_array(c.aclCreateIntArray, "q", values)


def create_float_array(values: Sequence[float]) -> int:
    return _create_array(c.aclCreateFloatArray, "f", values)


def create_bool_array(values: Sequence[bool]) -> int:
    return _create_array(c.aclCreateBoolArray, "?", values)


def create_tensor_list(tensors: Sequence[int]) -> int:
    """A list that owns its tensors."""
    return _create_array(c.aclCreateTensorList, "P", tensors)


def create_scalar_list(scalars: Sequence[int]) -> int:
    """A list that owns its scalars."""
    return _create_array(c.aclCreateScalarList, "P", scalars)


def destroy_tensor(tensor: int) -> int:
    return c.aclDestroyTensor(tensor)


def destroy_scalar(scalar: int) -> int:
    return c.aclDestroyScalar(scalar)


def destroy_int_array(array: int) -> int:
    return c.aclDestroyIntArray(array)


def destroy_float_array(array: int) -> int:
    return c.aclDestroyFloatArray(array)


def destroy_bool_array(array: int) -> int:
    return c.aclDestroyBoolArray(array)


def destroy_tensor_list(tensors: int) -> int:
    return c.aclDestroyTensorList(tensors)


def destroy_scalar_list(scalars: int) -> int:
    return c.aclDestroyScalarList(scalars)


def _take(function: Callable[..., int], tensor: int) -> tuple[list[int], int]:
    """Read an array that C hands out, and give it back with the ``delete[]`` it asks for."""
    values, count = POINTER(c_int64)(), c_uint64()
    ret = function(tensor, ctypes.byref(values), ctypes.byref(count))
    if ret != 0:
        return [], ret
    taken = values[: count.value]
    c.delete_array(values)
    return taken, ret


def get_view_shape(tensor: int) -> tuple[list[int], int]:
    return _take(c.aclGetViewShape, tensor)


def get_storage_shape(tensor: int) -> tuple[list[int], int]:
    return _take(c.aclGetStorageShape, tensor)


def get_view_strides(tensor: int) -> tuple[list[int], int]:
    return _take(c.aclGetViewStrides, tensor)


def get_view_offset(tensor: int) -> tuple[int, int]:
    return give_last(c.aclGetViewOffset, c_int64, tensor)


def get_format(tensor: int) -> tuple[int, int]:
    return give_last(c.aclGetFormat, c_int, tensor)


def get_data_type(tensor: int) -> tuple[int, int]:
    return give_last(c.aclGetDataType, c_int, tensor)


def get_int_array_size(array: int) -> tuple[int, int]:
    return give_last(c.aclGetIntArraySize, c_uint64, array)


def set_raw_tensor_addr(tensor: int, address: int) -> int:
    return c.aclSetRawTensorAddr(tensor, address)


def get_raw_tensor_addr(tensor: int) -> tuple[int, int]:
    return give_last(c.aclGetRawTensorAddr, c_void_p, tensor)


def set_acl_op_executor_repeatable(executor: int) -> int:
    """Let an executor run many times; call it right after phase 1."""
    return c.aclSetAclOpExecutorRepeatable(executor)


def destroy_acl_op_executor(executor: int) -> int:
    return c.aclDestroyAclOpExecutor(executor)


def set_input_tensor_addr(executor: int, index: int, tensor: int, address: int) -> int:
    """Move an input of a repeatable executor; ``index`` counts the operator's input tensors."""
    return c.aclSetInputTensorAddr(executor, index, tensor, address)


def set_output_tensor_addr(executor: int, index: int, tensor: int, address: int) -> int:
    return c.aclSetOutputTensorAddr(executor, index, tensor, address)


def set_tensor_addr(executor: int, index: int, tensor: int, address: int) -> int:
    """Move a tensor of a repeatable executor; ``index`` counts all of the operator's tensors."""
    return c.aclSetTensorAddr(executor, index, tensor, address)
