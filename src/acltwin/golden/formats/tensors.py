"""A tensor that a vendor's file describes, and the memory behind it."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from acltwin.golden import files
from acltwin.golden.dtypes import Array
from acltwin.golden.formats.ranges import Range


@dataclass(frozen=True)
class Storage:
    """The memory behind a view, in elements; without strides it is the tensor itself, perhaps in another shape."""

    shape: tuple[int, ...]
    strides: tuple[int, ...] | None = None
    offset: int = 0

    def view(self, memory: Array, shape: tuple[int, ...], where: str) -> Array:
        """What the view shows; ValueError if it reaches beyond the memory."""
        if self.strides is None and not self.offset:
            return memory.reshape(shape)
        strides = self.strides or tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))
        reach = self.offset + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
        if math.prod(shape) and not 0 <= reach < memory.size:
            raise ValueError(
                f"{where}: a view of {shape} with strides {strides} and offset {self.offset} reaches element {reach}; "
                f"expected one below {memory.size}, the elements of its storage"
            )
        steps = tuple(stride * memory.itemsize for stride in strides)
        start = memory.reshape(-1)[self.offset :]
        return np.array(np.lib.stride_tricks.as_strided(start, shape, steps))


@dataclass(frozen=True)
class Tensor:
    dtype: str
    shape: tuple[int, ...]
    values: Range | Callable[[], Array] = field(default_factory=Range)
    storage: Storage | None = None

    def load(self, path: Path, where: str, digest: str = "") -> Array:
        """From a file that holds its storage; ValueError if its SHA-256 is another."""
        storage = self.storage or Storage(self.shape)
        memory = files.load(path, self.dtype, storage.shape)
        found = hashlib.sha256(np.ascontiguousarray(memory).tobytes()).hexdigest()
        if digest and found != digest:
            raise ValueError(
                f"{path} has the SHA-256 {found}; expected {digest} by the manifest: "
                "the file was changed, make it again"
            )
        return storage.view(memory, self.shape, where)
