"""The same values in other places of memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from support.values import Array

Layout = Callable[[Array], Array]


def contiguous(array: Array) -> Array:
    return np.ascontiguousarray(array)


def channels_last(array: Array) -> Array:
    """Axis 1 innermost, dense: what PyTorch calls channels_last."""
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(array, 1, -1)), -1, 1)


def transposed(array: Array) -> Array:
    """The last axis outermost in memory."""
    return np.ascontiguousarray(array.T).T


def swapped_rows_and_columns(array: Array) -> Array:
    return np.ascontiguousarray(array.swapaxes(-1, -2)).swapaxes(-1, -2)


def sliced(array: Array) -> Array:
    """Every second element of a larger array, on every axis."""
    larger = np.zeros([2 * n + 1 for n in array.shape], array.dtype)
    view = larger[tuple(slice(1, 1 + 2 * n, 2) for n in array.shape)]
    view[...] = array
    return view


def pitched(array: Array) -> Array:
    """Dense rows with a gap after each."""
    larger = np.zeros((*array.shape[:-1], array.shape[-1] + 5), array.dtype)
    view = larger[..., 2 : 2 + array.shape[-1]]
    view[...] = array
    return view


def reversed_everywhere(array: Array) -> Array:
    """Every stride negative."""
    back = (slice(None, None, -1),) * array.ndim
    return np.ascontiguousarray(array[back])[back]


def misaligned(array: Array) -> Array:
    """One byte beside an element's natural place."""
    memory = np.zeros(array.nbytes + 1, np.uint8)
    view = memory[1:].view(array.dtype).reshape(array.shape)
    view[...] = array
    return view


def record_field(array: Array) -> Array:
    """A field of a packed record: strides that are no multiple of the element's size."""
    records = np.zeros(array.shape, np.dtype([("tag", np.uint8), ("value", array.dtype)]))
    records["value"] = array
    return records["value"]


def read_only(array: Array) -> Array:
    view = np.ascontiguousarray(array).copy()
    view.flags.writeable = False
    return view


STRIDED: tuple[Layout, ...] = (
    channels_last,
    transposed,
    swapped_rows_and_columns,
    sliced,
    pitched,
    reversed_everywhere,
)
COPIED: tuple[Layout, ...] = (misaligned, record_field)  # no element lies where the CPU expects one
LAYOUTS: tuple[Layout, ...] = (contiguous, *STRIDED, *COPIED, read_only)
