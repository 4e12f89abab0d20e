"""A call that is measured: an operator, a dtype, sizes, a layout, and the arguments of its family."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import ml_dtypes
import numpy as np

from acltwin.ops import OPERATORS as ALL
from acltwin.ops import OpSpec

OPERATORS = {name: spec for name, spec in ALL.items() if spec.family in ("upsample", "pool", "unpool")}
"""Those whose families have rows here."""

Layout = Literal["contiguous", "channels-last", "row pitch", "permuted H/W"]
LAYOUTS: tuple[Layout, ...] = ("contiguous", "channels-last", "row pitch", "permuted H/W")
Size = Literal["tiny", "small", "medium", "large"]
Sizes = tuple[int, ...]
HALF_TYPES = ("float16", "bfloat16")


def dtype_of(name: str) -> np.dtype:
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


def dtypes_of(spec: OpSpec) -> tuple[str, ...]:
    """All that the array function takes and PyTorch has: few integers, of unpooled ones only the gradient."""
    first = spec.inputs[0]
    every = (*first.dtypes, *(name for name in first.array_dtypes if "float" in name))
    return tuple(name for name in every if spec.family != "unpool" or spec.is_gradient or "float" in name)


@dataclass(frozen=True)
class Window:
    """A pooling window, one number per axis."""

    kernel: Sizes
    stride: Sizes
    padding: Sizes
    dilation: Sizes
    ceil_mode: bool = False

    @property
    def label(self) -> str:
        named = zip("kspd", (self.kernel, self.stride, self.padding, self.dilation), strict=True)
        parts = [f"{name}{_joined(v)}" for name, v in named if name != "d" or max(v) > 1]
        return " ".join((*parts, *(["ceil"] if self.ceil_mode else [])))

    def pooled(self, plane: Sizes) -> Sizes:
        """The sizes of the result."""
        fields = zip(plane, self.kernel, self.stride, self.padding, self.dilation, strict=True)
        return tuple(self._pooled_size(*numbers) for numbers in fields)

    def _pooled_size(self, n: int, kernel: int, stride: int, padding: int, dilation: int) -> int:
        rest = n + 2 * padding - dilation * (kernel - 1) - 1
        size = (-(-rest // stride) if self.ceil_mode else rest // stride) + 1
        return size - 1 if (size - 1) * stride >= n + padding else size


def _joined(values: Sizes) -> str:
    return str(values[0]) if len(set(values)) == 1 else "x".join(map(str, values))


def window(axes: int, kernel: int, stride: int, padding: int) -> Window:
    """The same on every axis."""
    return Window((kernel,) * axes, (stride,) * axes, (padding,) * axes, (1,) * axes)


@dataclass(frozen=True)
class Case:
    """`plane` is the size of the forward pass's larger or only source: what upsampling reads, what pooling reads, what
    unpooling writes. An upsampling has the sizes of its result, the others the window that makes their indices."""

    operator: str
    dtype: str
    batch: tuple[int, int]  # N, C
    plane: Sizes
    outer: Sizes = ()
    window: Window | None = None
    layout: Layout = "contiguous"
    indices: Literal["pooling", "random"] = "pooling"
    index_dtype: Literal["int32", "int64"] = "int64"

    @property
    def spec(self) -> OpSpec:
        return OPERATORS[self.operator]

    @property
    def label(self) -> str:
        shape = f"{self.batch[0]}x{self.batch[1]} {'x'.join(map(str, self.plane))}"
        if self.window is None:
            what = f"-> {'x'.join(map(str, self.outer))}"
        else:
            random = "random " if self.indices == "random" else ""
            what = f"{self.window.label} {random}{self.index_dtype}"
        return f"{self.operator} {self.dtype} {shape} {what} {self.layout} {self.size}"

    @property
    def bytes(self) -> int:
        """Of the largest tensor of values."""
        cells = max(math.prod(self.plane), math.prod(self.outer) if self.outer else 0)
        return math.prod(self.batch) * cells * dtype_of(self.dtype).itemsize

    @property
    def size(self) -> Size:
        limits: tuple[tuple[Size, int], ...] = (("tiny", 1 << 15), ("small", 1 << 19), ("medium", 1 << 24))
        return next((name for name, limit in limits if self.bytes < limit), "large")


@dataclass(frozen=True)
class Row:
    """A case on a number of threads: one line of the report."""

    case: Case
    threads: int

    @property
    def label(self) -> str:
        return f"{self.case.label} threads={self.threads}"
