"""DLPack tensors written by hand, so that any field of them can be wrong."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

CPU = 1
CODES = {"i": 0, "u": 1, "f": 2}

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


class Description(ctypes.Structure):
    """DLTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    """DLManagedTensor, without a deleter: Python keeps everything."""

    _fields_ = (("tensor", Description), ("owner", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


class HandMade:
    """An array of a library that describes it as its author pleases."""

    def __init__(self, array: np.ndarray[Any, Any], **fields: Any) -> None:
        self._array = array
        self._shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        self._strides = (ctypes.c_int64 * array.ndim)(*(stride // array.itemsize for stride in array.strides))
        true = {
            "data": array.ctypes.data,
            "device_type": CPU,
            "ndim": array.ndim,
            "code": CODES[array.dtype.kind],
            "bits": 8 * array.itemsize,
            "lanes": 1,
            "shape": self._shape,
            "strides": self._strides,
        }
        self._managed = _Managed(Description(**{**true, **fields}))

    def __dlpack__(self, **_: Any) -> Any:
        return _new_capsule(ctypes.addressof(self._managed), b"dltensor", None)

    def __dlpack_device__(self) -> Any:
        return (CPU, 0)


def int64s(*values: int) -> Any:
    """An array of C, for shapes and strides."""
    return (ctypes.c_int64 * len(values))(*values)
