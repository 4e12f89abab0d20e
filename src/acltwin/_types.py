"""Types of the array functions' arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeVar

Array = TypeVar("Array")
"""A NumPy array, a PyTorch or JAX array on the CPU, or anything else with ``__dlpack__``; results are of its kind."""

Ints = int | Sequence[int]
"""One number for all axes, or one per axis."""

MapRule = Literal["device", "torch"]
