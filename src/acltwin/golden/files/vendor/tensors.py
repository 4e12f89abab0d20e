"""A tensor that a vendor's file describes, and the memory behind it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from acltwin.golden.cases.dtypes import Array
from acltwin.golden.files import tensors as files
from acltwin.golden.files.storage import Storage
from acltwin.golden.files.vendor.ranges import Range


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
        found = files.sha256(memory)
        if digest and found != digest:
            raise ValueError(
                f"{path} has the SHA-256 {found}; expected {digest} by the manifest: "
                "the file was changed, make it again"
            )
        return storage.view(memory, self.shape, where)
