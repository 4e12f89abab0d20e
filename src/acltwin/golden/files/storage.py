"""The memory behind a tensor. A view is described by its strides, its offset and the elements of its storage."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from acltwin.golden.cases.dtypes import Array


@dataclass(frozen=True)
class Storage:
    """In elements; without strides it is the tensor itself, perhaps in another shape."""

    shape: tuple[int, ...]
    strides: tuple[int, ...] | None = None
    offset: int = 0

    def view(self, memory: Array, shape: tuple[int, ...], where: str) -> Array:
        """The tensor that lies in ``memory``; ValueError if it reaches beyond it."""
        if self.strides is None and not self.offset:
            return memory.reshape(shape)
        strides = self.strides or packed(shape)
        if len(strides) != len(shape):
            raise ValueError(f"{where} has the strides {strides}; expected {len(shape)}, one for each size")
        reach = self.offset + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
        if math.prod(shape) and not 0 <= reach < memory.size:
            raise ValueError(
                f"{where}: a view of {shape} with strides {strides} and offset {self.offset} reaches element {reach}; "
                f"expected one below {memory.size}, the elements of its storage"
            )
        size = memory.itemsize
        steps = tuple(stride * size for stride in strides)
        plain = np.ascontiguousarray(memory).view(np.uint8)  # NumPy has no buffers of bfloat16
        return np.ndarray(shape, memory.dtype, plain.reshape(-1), self.offset * size, steps)


def packed(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a contiguous tensor."""
    return tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


def storage_of(array: Array) -> tuple[Storage, Array]:
    """How an array lies in the memory that it is a part of, and that memory; of a contiguous one, the array itself."""
    if array.flags.c_contiguous:
        return Storage(array.shape), array
    root = array
    while isinstance(root.base, np.ndarray):
        root = root.base
    if not root.flags.forc or min(array.strides) < 0:  # no description by offset and strides alone
        root = array = np.array(array, order="K")
    memory = root.ravel(order="K").view(array.dtype)
    start = (array.ctypes.data - root.ctypes.data) // array.itemsize
    return Storage(memory.shape, tuple(step // array.itemsize for step in array.strides), start), memory
