"""A call that is measured: an operator, a dtype, sizes, a layout, and the arguments of its family."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import ml_dtypes
import numpy as np

from acltwin.ops import OPERATORS as ALL
from acltwin.ops import OpSpec

OPERATORS = {name: spec for name, spec in ALL.items() if spec.aten or spec.family == "unpool"}
"""Those that PyTorch has as well; the gradient of unpooling is a gather there."""

Layout = Literal["contiguous", "channels-last", "row pitch", "permuted H/W"]
LAYOUTS: tuple[Layout, ...] = ("contiguous", "channels-last", "row pitch", "permuted H/W")
Size = Literal["tiny", "small", "medium", "large"]
Sizes = tuple[int, ...]
Windows = list[list[list[int]]]
"""Along each axis, of each result cell: the cells that it comes from."""
HALF_TYPES = ("float16", "bfloat16")


def dtype_of(name: str) -> np.dtype:
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


def dtypes_of(spec: OpSpec) -> tuple[str, ...]:
    """All floats that the array function takes, and few integers: of unpooled ones only the gradient."""
    first = spec.inputs[0]
    every = (*first.dtypes, *(name for name in first.array_dtypes if "float" in name))
    integers = spec.family != "unpool" or spec.is_gradient
    return tuple(name for name in every if "float" in name or (integers and name != "bool"))


def has_window(spec: OpSpec) -> bool:
    """Whether it pools, or its indices come from pooling, by a window of one size; others have sizes of a result."""
    return spec.family == "unpool" or any(argument.common_name == "kernelSize" for argument in spec.inputs)


def is_adaptive(spec: OpSpec) -> bool:
    """Whether windows follow from the sizes of input and result."""
    return spec.family in ("adaptive_pool", "average") and not has_window(spec)


def has_indices(spec: OpSpec) -> bool:
    return spec.makes_indices or any(argument.holds == "indices" for argument in spec.inputs)


@dataclass(frozen=True)
class Window:
    """A pooling window, one number per axis, and what an average divides by."""

    kernel: Sizes
    stride: Sizes
    padding: Sizes
    dilation: Sizes
    ceil_mode: bool = False
    include_pad: bool = True
    divisor: int | None = None

    @property
    def label(self) -> str:
        named = zip("kspd", (self.kernel, self.stride, self.padding, self.dilation), strict=True)
        parts = [f"{name}{_joined(v)}" for name, v in named if name != "d" or max(v) > 1]
        parts += ["ceil"] * self.ceil_mode + ["nopad"] * (not self.include_pad)
        return " ".join((*parts, *([] if self.divisor is None else [f"div{self.divisor}"])))

    def cells(self, plane: Sizes) -> Windows:
        fields = zip(plane, self.pooled(plane), self.kernel, self.stride, self.padding, self.dilation, strict=True)
        return [
            [[c for t in range(k) if 0 <= (c := o * s - p + d * t) < n] for o in range(count)]
            for n, count, k, s, p, d in fields
        ]

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
    """`plane` is what the forward pass reads, or what unpooling writes. A case has either the sizes of the forward
    pass's result or a window that says how many there are."""

    operator: str
    dtype: str
    batch: tuple[int, int]  # N, C
    plane: Sizes
    outer: Sizes = ()
    window: Window | None = None
    layout: Layout = "contiguous"
    indices: Literal["pooling", "random"] = "pooling"
    index_dtype: Literal["int32", "int64"] = "int64"
    align_corners: bool = False

    @property
    def spec(self) -> OpSpec:
        return OPERATORS[self.operator]

    @property
    def pooled(self) -> Sizes:
        """The other plane."""
        return self.outer if self.window is None else self.window.pooled(self.plane)

    @property
    def windows(self) -> Windows:
        if self.window is not None:
            return self.window.cells(self.plane)
        sizes = zip(self.plane, self.outer, strict=True)
        return [[list(range(o * n // m, -(-(o + 1) * n // m))) for o in range(m)] for n, m in sizes]

    @property
    def label(self) -> str:
        words = [self.operator, self.dtype, "x".join(map(str, self.batch)), "x".join(map(str, self.plane))]
        words += ["->", "x".join(map(str, self.outer))] if self.window is None else [self.window.label]
        words += ["corners"] * self.align_corners + ["random"] * (self.indices == "random")
        words += [self.index_dtype] * has_indices(self.spec)
        return " ".join((*words, self.layout, self.size))

    @property
    def bytes(self) -> int:
        """Of the largest tensor of values."""
        cells = max(math.prod(self.plane), math.prod(self.pooled))
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
