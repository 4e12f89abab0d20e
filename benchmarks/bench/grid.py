"""What is measured: every declared operator over dtypes, sizes, factors or windows, layouts and thread counts.

The rows follow from the operators' declarations (`acltwin.ops`): a new operator has its rows at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Literal

from acltwin.ops import OPERATORS, OpSpec

Size = Literal["tiny", "medium", "large"]
Layout = Literal["contiguous", "channels-last", "row pitch", "permuted H/W"]
Triple = tuple[int, int, int]

HALF_TYPES = ("float16", "bfloat16")
FACTORS = (1.0, 2.0, 3.0, 4.0, 1.5, 2.7, 0.5, 10.0)
THREADS = (1, 2)
REAL_SIZES: tuple[Size, ...] = ("medium", "large")

SPECS = (
    *(spec for spec in OPERATORS.values() if spec.is_gradient),
    *(spec for spec in OPERATORS.values() if not spec.is_gradient),
)
"""The gradients first."""


def _dtypes(spec: OpSpec) -> tuple[str, ...]:
    """What the documents allow and, beyond that, 16 bits; of unpooled integers PyTorch has the gradient alone."""
    first = spec.inputs[0]
    every = (*first.dtypes, *(dtype for dtype in first.array_dtypes if dtype in HALF_TYPES))
    return tuple(name for name in every if spec.family != "unpool" or spec.is_gradient or "float" in name)


@dataclass(frozen=True)
class Upsample:
    """An upsampling or its gradient; `factor` is that of the forward pass, output size / input size."""

    operator: str
    dtype: str
    size: Size
    factor: float
    layout: Layout = "contiguous"
    channels: int | None = None  # None: as many as the size asks for

    @property
    def spec(self) -> OpSpec:
        return OPERATORS[self.operator]

    @property
    def label(self) -> str:
        layout = self.layout if self.channels is None else f"{self.layout} C={self.channels}"
        return f"{self.operator} {self.dtype} {self.size} x{self.factor:g} {layout}"


@dataclass(frozen=True)
class Window:
    """The pooling that made the indices."""

    kernel: Triple
    stride: Triple
    padding: Triple

    @property
    def label(self) -> str:
        return " ".join(
            f"{name}{_axes(v)}" for name, v in zip("ksp", (self.kernel, self.stride, self.padding), strict=True)
        )


def _axes(values: Triple) -> str:
    return str(values[0]) if len(set(values)) == 1 else "x".join(map(str, values))


def _cubic(kernel: int, stride: int, padding: int) -> Window:
    return Window((kernel,) * 3, (stride,) * 3, (padding,) * 3)


DISJOINT = _cubic(2, 2, 0)
OVERLAP = _cubic(3, 2, 1)
DENSE = _cubic(3, 1, 1)
FLAT = Window((1, 2, 2), (1, 2, 2), (0, 0, 0))
ANISOTROPIC = Window((3, 2, 2), (2, 1, 2), (1, 1, 0))
WINDOWS = (DISJOINT, OVERLAP, DENSE, FLAT, ANISOTROPIC)


@dataclass(frozen=True)
class Indexed:
    """One of the operators that follow indices, or make them."""

    operator: str
    dtype: str
    size: Size
    window: Window = DISJOINT
    planes: Literal["many planes", "one plane"] = "many planes"
    indices: Literal["pooling", "random"] = "pooling"
    index_dtype: Literal["int32", "int64"] = "int64"

    @property
    def spec(self) -> OpSpec:
        return OPERATORS[self.operator]

    @property
    def label(self) -> str:
        return (
            f"{self.operator} {self.dtype} {self.size} {self.window.label} {self.planes}, "
            f"{self.indices} {self.index_dtype} indices"
        )


Case = Upsample | Indexed


@dataclass(frozen=True)
class Row:
    """A case on a number of threads: one line of the report."""

    case: Case
    threads: int

    @property
    def label(self) -> str:
        return f"{self.case.label}, threads={self.threads}"


def full_rows() -> list[Row]:
    cases = (case for spec in SPECS for case in _cases(spec))
    return [Row(case, threads) for case in cases for threads in THREADS]


def short_rows() -> list[Row]:
    """A representative of every operator, kind of dtype, size and layout: a run of some minutes."""
    return [Row(case, THREADS[-1]) for spec in SPECS for case in _representatives(spec)]


def tiny_cases() -> list[Case]:
    """Every operator, once with a whole and once with a fractional factor, or by window, in 32 and in 16 bits."""
    return [case for spec in SPECS for case in _cases(spec) if case.size == "tiny" and case.dtype in TINY_TYPES]


TINY_TYPES = ("float32", "bfloat16")


def _cases(spec: OpSpec) -> Iterator[Case]:
    for dtype in _dtypes(spec):
        yield from _upsample_cases(spec, dtype) if spec.family == "upsample" else _indexed_cases(spec, dtype)


def _upsample_cases(spec: OpSpec, dtype: str) -> Iterator[Case]:
    for factor in (2.0, 1.5, 0.5):
        yield Upsample(spec.name, dtype, "tiny", factor)
    for size, factor in product(REAL_SIZES, FACTORS):
        yield Upsample(spec.name, dtype, size, factor)
    for size, factor, channels in product(REAL_SIZES, (2.0, 1.5, 0.5), (3, 16, 32)):
        yield Upsample(spec.name, dtype, size, factor, "channels-last", channels)
    for size, factor in product(REAL_SIZES, (2.0, 1.5)):
        yield Upsample(spec.name, dtype, size, factor, "row pitch")
        yield Upsample(spec.name, dtype, size, factor, "permuted H/W")


def _windows(spec: OpSpec) -> tuple[Window, ...]:
    """Pooling knows its windows; an unpooling follows indices, whatever window they come from."""
    return WINDOWS if spec.family == "pool" else (DISJOINT,)


def _indexed_cases(spec: OpSpec, dtype: str) -> Iterator[Case]:
    windows = _windows(spec)
    for window in windows[:2]:
        yield Indexed(spec.name, dtype, "tiny", window)
    for size, window in product(REAL_SIZES, windows):
        yield Indexed(spec.name, dtype, size, window)
    for size, window in product(REAL_SIZES, windows[:2]):
        yield Indexed(spec.name, dtype, size, window, planes="one plane")
        if spec.is_gradient:
            yield Indexed(spec.name, dtype, size, window, indices="random")
        if spec.family == "pool":
            yield Indexed(spec.name, dtype, size, window, index_dtype="int32")


def _representatives(spec: OpSpec) -> Iterator[Case]:
    return _upsample_representatives(spec) if spec.family == "upsample" else _indexed_representatives(spec)


def _upsample_representatives(spec: OpSpec) -> Iterator[Case]:
    yield Upsample(spec.name, "float32", "tiny", 2.0)
    for dtype, factor in (("float32", 2.0), ("bfloat16", 1.5)):
        yield Upsample(spec.name, dtype, "medium", factor)
    if spec.is_gradient:
        for dtype, factor in (("float32", 1.5), ("bfloat16", 2.0), ("float32", 0.5)):
            yield Upsample(spec.name, dtype, "medium", factor)
    if len(spec.axes) == 3:
        yield Upsample(spec.name, "float32", "medium", 2.0, "channels-last", 3)
        yield Upsample(spec.name, "float32", "medium", 1.5, "channels-last", 32)
        yield Upsample(spec.name, "float32", "medium", 2.0, "permuted H/W")
    yield Upsample(spec.name, "float32", "large", 2.0)


def _indexed_representatives(spec: OpSpec) -> Iterator[Case]:
    windows = _windows(spec)[:2]
    yield Indexed(spec.name, "float32", "tiny")
    for dtype, window in product(("float32", "bfloat16"), windows):
        yield Indexed(spec.name, dtype, "medium", window)
    yield Indexed(spec.name, "float32", "medium", windows[-1], planes="one plane")
    if spec.is_gradient:
        yield Indexed(spec.name, "float32", "medium", windows[-1], indices="random")
    for window in windows:
        yield Indexed(spec.name, "float32", "large", window)
