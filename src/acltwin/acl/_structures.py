"""The C structures of the interface, from dictionaries with the names of their fields, as pyACL takes them."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any


class _Described(ctypes.Structure):
    @classmethod
    def of(cls, name: str, given: Any) -> Any:
        """The structure with the fields of a dictionary; ``name`` is for the sentence if something is wrong."""
        if not isinstance(given, Mapping):
            raise TypeError(f"{name} is {type(given).__name__}, expected a dictionary with {cls._names()}; pass one")
        kinds = cls._kinds()
        unknown = [key for key in given if key not in kinds]
        if unknown:
            raise ValueError(f"{name} has {unknown[0]!r}, expected {cls._names()}; correct the name")
        structure = cls()
        for field, kind in kinds.items():
            if field in given:
                value = given[field]
                nested = issubclass(kind, _Described)
                setattr(structure, field, kind.of(f"{name}[{field!r}]", value) if nested else value)
        return structure

    @classmethod
    def _kinds(cls) -> dict[str, Any]:
        fields: Any = cls._fields_
        return {field: kind for field, kind in fields if field != "rsv"}

    @classmethod
    def _names(cls) -> str:
        return ", ".join(map(repr, cls._kinds()))


class MemLocation(_Described):
    _fields_ = (("id", ctypes.c_uint32), ("type", ctypes.c_int))


class PhysicalMemProp(_Described):
    _fields_ = (
        ("handleType", ctypes.c_int),
        ("allocationType", ctypes.c_int),
        ("memAttr", ctypes.c_int),
        ("location", MemLocation),
        ("reserve", ctypes.c_uint64),
    )


class MemcpyBatchAttr(_Described):
    _fields_ = (("dstLoc", MemLocation), ("srcLoc", MemLocation), ("rsv", ctypes.c_uint8 * 16))


class PtrAttributes(_Described):
    _fields_ = (("location", MemLocation), ("pageSize", ctypes.c_uint32), ("rsv", ctypes.c_uint32 * 4))
