"""Addresses of Python's objects in check mode: they tell the library when a copy uses one whose object is gone."""

from __future__ import annotations

import ctypes
import sys
import weakref
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


class Address(int):
    """An address in the memory of an object; so are its sums."""

    is_gone: Callable[[], bool]
    tell: Callable[[], None]  # the library: the next call on this thread uses the address

    @classmethod
    def of(cls, address: int, is_gone: Callable[[], bool], tell: Callable[[], None]) -> Address:
        made = cls(address)
        made.is_gone, made.tell = is_gone, tell
        return made

    def __add__(self, distance: int, /) -> int:
        return self.of(int(self) + distance, self.is_gone, self.tell)

    __radd__ = __add__

    def __sub__(self, distance: int, /) -> int:
        return int(self) - distance if isinstance(distance, Address) else self + -distance


def check_addresses(values: Iterable[Any]) -> None:
    for value in values:
        if isinstance(value, Address) and value.is_gone():
            value.tell()


def address_in_array(library: ctypes.CDLL, array: np.ndarray[Any, Any], frames: str) -> int:
    """The array's address. Its memory ends with the array that owns it, which others may be views of."""
    import numpy as np

    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    if not owner.flags.owndata or owner.nbytes == 0:
        return array.ctypes.data
    alive = weakref.ref(owner)
    return Address.of(array.ctypes.data, lambda: alive() is None, _teller(library, b"acl.util.numpy_to_ptr", frames))


class _Kept:
    """Bytes, which know no weak references: whoever else has them is counted."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def references(self) -> int:
        return sys.getrefcount(self.data)


NOBODY_ELSE = _Kept(bytes(range(2))).references()


def address_of_bytes(library: ctypes.CDLL, data: bytes, address: int, frames: str) -> int:
    kept = _Kept(data)
    return Address.of(
        address, lambda: kept.references() <= NOBODY_ELSE, _teller(library, b"acl.util.bytes_to_ptr", frames)
    )


def _teller(library: ctypes.CDLL, function: bytes, frames: str) -> Callable[[], None]:
    note, tell = library.acltwin_check_note_address, library.acltwin_check_note_gone
    note.restype, note.argtypes = ctypes.c_uint32, (ctypes.c_char_p, ctypes.c_char_p)
    tell.restype, tell.argtypes = None, (ctypes.c_uint32,)
    given_by = note(function, frames.encode(errors="replace"))
    return lambda: tell(given_by)
