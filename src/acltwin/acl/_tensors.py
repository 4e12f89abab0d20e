"""Tensors, arrays and executors: what pyACL has no functions for."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from ctypes import POINTER, c_int, c_int64, c_uint64, c_void_p
from typing import Any

from acltwin.acl._calls import give_last, packed
from acltwin.acl._library import c
from acltwin.acl._mistakes import explained


@explained
def create_tensor(
    view_dims: Sequence[int],
    data_type: int,
    strides: Sequence[int] | None,
    offset: int,
    format: int,
    storage_dims: Sequence[int],
    tensor_data: int,
) -> int:
    """A tensor: how to read the data at an address. Its handle, or 0 when it is refused.

    Args:
        view_dims: the tensor's shape.
        data_type: ``ACL_FLOAT`` or another type of :mod:`acltwin.acl.constants`.
        strides: from one element to the next along each axis, in elements; ``None``: contiguous.
        offset: where the tensor begins in its storage, in elements.
        format: ``ACL_FORMAT_NCDHW`` or another format.
        storage_dims: the shape of all the data; may be 1-D.
        tensor_data: the address of the data on the device; 0 when it is given later.
    """
    shapes = _packed_shapes(view_dims, data_type, strides, offset, format, storage_dims)
    return c.aclCreateTensor(*shapes, tensor_data) or 0


@explained
def init_tensor(
    tensor: int,
    view_dims: Sequence[int],
    data_type: int,
    strides: Sequence[int] | None,
    offset: int,
    format: int,
    storage_dims: Sequence[int],
    tensor_data: int,
) -> int:
    """Describe something else with a tensor that there is; the arguments are those of :func:`create_tensor`.

    Empty dimensions, and an address of 0, leave what the tensor had.
    """
    shapes = _packed_shapes(view_dims, data_type, strides, offset, format, storage_dims)
    return c.aclInitTensor(tensor, *shapes, tensor_data)


def _packed_shapes(
    view_dims: Sequence[int],
    data_type: int,
    strides: Sequence[int] | None,
    offset: int,
    format: int,
    storage_dims: Sequence[int],
) -> tuple[Any, ...]:
    view, storage = packed("q", view_dims), packed("q", storage_dims)
    return view, len(view_dims), data_type, packed("q", strides), offset, format, storage, len(storage_dims)


@explained
def create_scalar(address: int, data_type: int) -> int:
    """A scalar with a copy of the value at an address: its handle."""
    return c.aclCreateScalar(address, data_type) or 0


def _create_array(function: Callable[..., int], code: str, values: Sequence[Any]) -> int:
    return function(packed(code, values), len(values)) or 0


@explained
def create_int_array(values: Sequence[int]) -> int:
    """An array of 64-bit integers, copied from ``values``: its handle."""
    return _create_array(c.aclCreateIntArray, "q", values)


@explained
def create_float_array(values: Sequence[float]) -> int:
    """An array of 32-bit floats, copied from ``values``: its handle."""
    return _create_array(c.aclCreateFloatArray, "f", values)


@explained
def create_bool_array(values: Sequence[bool]) -> int:
    """An array of truth values, copied from ``values``: its handle."""
    return _create_array(c.aclCreateBoolArray, "?", values)


@explained
def create_tensor_list(tensors: Sequence[int]) -> int:
    """A list that owns its tensors: its handle."""
    return _create_array(c.aclCreateTensorList, "P", tensors)


@explained
def create_scalar_list(scalars: Sequence[int]) -> int:
    """A list that owns its scalars: its handle."""
    return _create_array(c.aclCreateScalarList, "P", scalars)


@explained
def destroy_tensor(tensor: int) -> int:
    """End a tensor, not the data that it describes. 0 is accepted."""
    return c.aclDestroyTensor(tensor)


@explained
def destroy_scalar(scalar: int) -> int:
    """End a scalar. 0 is accepted."""
    return c.aclDestroyScalar(scalar)


@explained
def destroy_int_array(array: int) -> int:
    """End an int array. 0 is accepted."""
    return c.aclDestroyIntArray(array)


@explained
def destroy_float_array(array: int) -> int:
    """End a float array. 0 is accepted."""
    return c.aclDestroyFloatArray(array)


@explained
def destroy_bool_array(array: int) -> int:
    """End a bool array. 0 is accepted."""
    return c.aclDestroyBoolArray(array)


@explained
def destroy_tensor_list(tensors: int) -> int:
    """End a list and its tensors. 0 is accepted."""
    return c.aclDestroyTensorList(tensors)


@explained
def destroy_scalar_list(scalars: int) -> int:
    """End a list and its scalars. 0 is accepted."""
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


@explained
def get_view_shape(tensor: int) -> tuple[list[int], int]:
    """The shape of a tensor: ``(dims, ret)``."""
    return _take(c.aclGetViewShape, tensor)


@explained
def get_storage_shape(tensor: int) -> tuple[list[int], int]:
    """The shape of the storage behind a tensor: ``(dims, ret)``."""
    return _take(c.aclGetStorageShape, tensor)


@explained
def get_view_strides(tensor: int) -> tuple[list[int], int]:
    """The strides of a tensor in elements: ``(strides, ret)``."""
    return _take(c.aclGetViewStrides, tensor)


@explained
def get_view_offset(tensor: int) -> tuple[int, int]:
    """Where a tensor begins in its storage, in elements: ``(offset, ret)``."""
    return give_last(c.aclGetViewOffset, c_int64, tensor)


@explained
def get_format(tensor: int) -> tuple[int, int]:
    """The format of a tensor, an ``ACL_FORMAT_`` number: ``(format, ret)``."""
    return give_last(c.aclGetFormat, c_int, tensor)


@explained
def get_data_type(tensor: int) -> tuple[int, int]:
    """The type of a tensor's elements, ``ACL_FLOAT`` for instance: ``(data_type, ret)``."""
    return give_last(c.aclGetDataType, c_int, tensor)


@explained
def get_int_array_size(array: int) -> tuple[int, int]:
    """How many values an int array has: ``(size, ret)``."""
    return give_last(c.aclGetIntArraySize, c_uint64, array)


@explained
def set_raw_tensor_addr(tensor: int, address: int) -> int:
    """Let a tensor describe data at another address."""
    return c.aclSetRawTensorAddr(tensor, address)


@explained
def get_raw_tensor_addr(tensor: int) -> tuple[int, int]:
    """Where a tensor's storage begins: ``(address, ret)``."""
    return give_last(c.aclGetRawTensorAddr, c_void_p, tensor)


@explained
def set_acl_op_executor_repeatable(executor: int) -> int:
    """Let an executor run many times; call it right after phase 1."""
    return c.aclSetAclOpExecutorRepeatable(executor)


@explained
def destroy_acl_op_executor(executor: int) -> int:
    """End a repeatable executor."""
    return c.aclDestroyAclOpExecutor(executor)


@explained
def set_input_tensor_addr(executor: int, index: int, tensor: int, address: int) -> int:
    """Move an input of a repeatable executor; ``index`` counts the operator's input tensors."""
    return c.aclSetInputTensorAddr(executor, index, tensor, address)


@explained
def set_output_tensor_addr(executor: int, index: int, tensor: int, address: int) -> int:
    """Move an output of a repeatable executor; ``index`` counts the operator's output tensors."""
    return c.aclSetOutputTensorAddr(executor, index, tensor, address)


@explained
def set_tensor_addr(executor: int, index: int, tensor: int, address: int) -> int:
    """Move a tensor of a repeatable executor; ``index`` counts all of the operator's tensors."""
    return c.aclSetTensorAddr(executor, index, tensor, address)


@explained
def set_dynamic_input_tensor_addr(executor: int, index: int, relative_index: int, tensors: int, address: int) -> int:
    """Move an input in a list: ``index`` counts the operator\'s input tensors, ``relative_index`` the list\'s."""
    return c.aclSetDynamicInputTensorAddr(executor, index, relative_index, tensors, address)


@explained
def set_dynamic_output_tensor_addr(executor: int, index: int, relative_index: int, tensors: int, address: int) -> int:
    """Move an output in a list: ``index`` counts the operator\'s output tensors, ``relative_index`` the list\'s."""
    return c.aclSetDynamicOutputTensorAddr(executor, index, relative_index, tensors, address)


@explained
def set_dynamic_tensor_addr(executor: int, index: int, relative_index: int, tensors: int, address: int) -> int:
    """Move a tensor in a list: ``index`` counts the operator\'s tensors, ``relative_index`` the list\'s."""
    return c.aclSetDynamicTensorAddr(executor, index, relative_index, tensors, address)
