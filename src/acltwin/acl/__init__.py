"""The ACL C interface in Python, in the style of pyACL, plus the operators that pyACL lacks.

Handles, pointers and enumerations are ints. Nothing raises: a call returns ``ret``, or ``(value, ret)``; ``ret`` is 0
on success; otherwise :func:`get_recent_err_msg` says what is wrong. Each operator has its two phases::

    workspace_size, executor, ret = acl.max_unpool3d_backward_get_workspace_size(...)
    ret = acl.max_unpool3d_backward(workspace, workspace_size, executor, stream)

The same program runs on the twin and, with ``ACLTWIN_LIBRARY=cann``, on the real libraries. For exceptions and ``with``
blocks see :mod:`acltwin.acl.easy`.
"""

from __future__ import annotations

import os
from ctypes import c_int64, c_uint64
from typing import TYPE_CHECKING

from acltwin.acl import constants, mdl, rt, util
from acltwin.acl._calls import give, give_last
from acltwin.acl._library import LibraryNotFoundError, c
from acltwin.acl._mistakes import explained
from acltwin.acl._names import absent
from acltwin.acl._operators import *  # noqa: F403  the two phases of each operator
from acltwin.acl._operators import FUNCTIONS as _OPERATOR_FUNCTIONS
from acltwin.acl._tensors import (
    create_bool_array,
    create_float_array,
    create_int_array,
    create_scalar,
    create_scalar_list,
    create_tensor,
    create_tensor_list,
    destroy_acl_op_executor,
    destroy_bool_array,
    destroy_float_array,
    destroy_int_array,
    destroy_scalar,
    destroy_scalar_list,
    destroy_tensor,
    destroy_tensor_list,
    get_data_type,
    get_format,
    get_int_array_size,
    get_raw_tensor_addr,
    get_storage_shape,
    get_view_offset,
    get_view_shape,
    get_view_strides,
    init_tensor,
    set_acl_op_executor_repeatable,
    set_dynamic_input_tensor_addr,
    set_dynamic_output_tensor_addr,
    set_dynamic_tensor_addr,
    set_input_tensor_addr,
    set_output_tensor_addr,
    set_raw_tensor_addr,
    set_tensor_addr,
)

__all__ = [
    "LibraryNotFoundError",
    "constants",
    "create_bool_array",
    "create_float_array",
    "create_int_array",
    "create_scalar",
    "create_scalar_list",
    "create_tensor",
    "create_tensor_list",
    "data_type_size",
    "destroy_acl_op_executor",
    "destroy_bool_array",
    "destroy_float_array",
    "destroy_int_array",
    "destroy_scalar",
    "destroy_scalar_list",
    "destroy_tensor",
    "destroy_tensor_list",
    "finalize",
    "finalize_reference",
    "get_data_type",
    "get_data_type_size",
    "get_device_capability",
    "get_format",
    "get_int_array_size",
    "get_raw_tensor_addr",
    "get_recent_err_msg",
    "get_soc_name",
    "get_storage_shape",
    "get_view_offset",
    "get_view_shape",
    "get_view_strides",
    "init",
    "init_tensor",
    "library_files",
    "mdl",
    "rt",
    "set_acl_op_executor_repeatable",
    "set_dynamic_input_tensor_addr",
    "set_dynamic_output_tensor_addr",
    "set_dynamic_tensor_addr",
    "set_input_tensor_addr",
    "set_output_tensor_addr",
    "set_raw_tensor_addr",
    "set_tensor_addr",
    "util",
    *_OPERATOR_FUNCTIONS,
]


@explained
def init(config_path: str | None = None) -> int:
    """Start; ``config_path`` names a JSON file, ``None`` or ``""`` none."""
    return c.aclInit(None if config_path is None else os.fsencode(config_path))


@explained
def finalize() -> int:
    """End; :func:`init` may begin again."""
    return c.aclFinalize()


@explained
def finalize_reference() -> tuple[int, int]:
    """Take one :func:`init` back: ``(how many are left, ret)``."""
    return give(c.aclFinalizeReference, c_uint64)


def get_recent_err_msg() -> str:
    """What went wrong last in this thread, and how to fix it; empty when nothing is pending. Reading clears it."""
    return c.text("aclGetRecentErrMsg")


def get_soc_name() -> str:
    """The SoC that is played: ``ACLTWIN_SOC``, or Ascend910B."""
    return c.text("aclrtGetSocName")


@explained
def get_device_capability(device_id: int, device_info: int) -> tuple[int, int]:
    """A number that a device has, ``ACL_DEVICE_INFO_VECTOR_CORE_NUM`` for instance: ``(value, ret)``."""
    return give_last(c.aclGetDeviceCapability, c_int64, device_id, device_info)


@explained
def get_data_type_size(data_type: int) -> int:
    """The same as :func:`data_type_size`, under the name that some programs use."""
    return c.aclGetDataTypeSize(data_type)


@explained
def data_type_size(data_type: int) -> int:
    """The bytes of one element of a type, ``ACL_FLOAT`` for instance; 0 for types without a whole number of them."""
    return c.aclDataTypeSize(data_type)


def library_files() -> list[str]:
    """The library files that are bound: the twin's, or those that ``ACLTWIN_LIBRARY`` chose."""
    return [str(file) for file in c.files]


if not TYPE_CHECKING:  # type checkers find typos for themselves

    def __getattr__(name: str) -> object:
        raise absent(__name__, name)


def __dir__() -> list[str]:
    return __all__
