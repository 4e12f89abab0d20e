"""What is measured: every operator over dtypes, sizes, factors or windows, layouts and thread counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Literal

Size = Literal["tiny", "medium", "large"]
Layout = Literal["contiguous", "channels-last", "row pitch", "permuted H/W"]
Triple = tuple[int, int, int]

EXACT3D = "upsample_nearest_exact3d_backward"
NEAREST3D = "upsample_nearest3d_backward"
EXACT2D = "upsample_nearest_exact2d_backward"
UNPOOL = "max_unpool3d_backward"
POOL = "max_pool3d_with_argmax_backward"
BACKWARD = (EXACT3D, NEAREST3D, EXACT2D, UNPOOL, POOL)
FORWARD_OF = {operator: operator.removesuffix("_backward") for operator in BACKWARD}
FORWARD = tuple(FORWARD_OF.values())
FORWARD_EXACT3D, FORWARD_NEAREST3D, FORWARD_EXACT2D, FORWARD_UNPOOL, FORWARD_POOL = FORWARD
OPERATORS = (*BACKWARD, *FORWARD)

HALF_TYPES = ("float16", "bfloat16")
UPSAMPLE_TYPES = {
    EXACT3D: ("float32", *HALF_TYPES),
    NEAREST3D: ("float32", *HALF_TYPES, "float64"),
    EXACT2D: ("float32", *HALF_TYPES),
}
UPSAMPLE_TYPES |= {FORWARD_OF[operator]: dtypes for operator, dtypes in UPSAMPLE_TYPES.items()}
UPSAMPLE_2D = (EXACT2D, FORWARD_EXACT2D)
FORWARD_UNPOOL_TYPES = ("float32", *HALF_TYPES, "float64")  # PyTorch has no others
UNPOOL_TYPES = (*FORWARD_UNPOOL_TYPES, "int8", "uint8", "int16", "int32", "int64")
POOL_TYPES = ("float32", *HALF_TYPES)
FACTORS = (1.0, 2.0, 3.0, 4.0, 1.5, 2.7, 0.5, 10.0)
THREADS = (1, 2)
REAL_SIZES: tuple[Size, ...] = ("medium", "large")


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
    return [Row(case, threads) for case in _all_cases() for threads in THREADS]


def short_rows() -> list[Row]:
    """A representative of every operator, kind of dtype, size and layout: a run of two to three minutes."""
    return [Row(case, THREADS[-1]) for case in _representatives()]


def _all_cases() -> Iterator[Case]:
    for operator, dtypes in UPSAMPLE_TYPES.items():
        yield from _upsample_cases(operator, dtypes)
    yield from _unpool_cases()
    yield from _pool_cases()
    yield from _forward_unpool_cases()
    yield from _forward_pool_cases()


def _upsample_cases(operator: str, dtypes: tuple[str, ...]) -> Iterator[Case]:
    for dtype in dtypes:
        for factor in (2.0, 1.5):
            yield Upsample(operator, dtype, "tiny", factor)
        for size, factor in product(REAL_SIZES, FACTORS):
            yield Upsample(operator, dtype, size, factor)
        for size, factor, channels in product(REAL_SIZES, (2.0, 1.5, 0.5), (3, 16, 32)):
            yield Upsample(operator, dtype, size, factor, "channels-last", channels)
        for size, factor in product(REAL_SIZES, (2.0, 1.5)):
            yield Upsample(operator, dtype, size, factor, "row pitch")
            yield Upsample(operator, dtype, size, factor, "permuted H/W")


def _unpool_cases() -> Iterator[Case]:
    for dtype in UNPOOL_TYPES:
        yield Indexed(UNPOOL, dtype, "tiny")
        for size in REAL_SIZES:
            yield Indexed(UNPOOL, dtype, size)
            yield Indexed(UNPOOL, dtype, size, planes="one plane")
            yield Indexed(UNPOOL, dtype, size, indices="random")


def _pool_cases() -> Iterator[Case]:
    for dtype in POOL_TYPES:
        yield Indexed(POOL, dtype, "tiny")
        yield Indexed(POOL, dtype, "tiny", OVERLAP)
        for size, window in product(REAL_SIZES, WINDOWS):
            yield Indexed(POOL, dtype, size, window)
        for size, window in product(REAL_SIZES, (DISJOINT, OVERLAP)):
            yield Indexed(POOL, dtype, size, window, planes="one plane")
            yield Indexed(POOL, dtype, size, window, indices="random")
            yield Indexed(POOL, dtype, size, window, index_dtype="int32")


def _forward_unpool_cases() -> Iterator[Case]:
    for dtype in FORWARD_UNPOOL_TYPES:
        yield Indexed(FORWARD_UNPOOL, dtype, "tiny")
        for size in REAL_SIZES:
            yield Indexed(FORWARD_UNPOOL, dtype, size)
            yield Indexed(FORWARD_UNPOOL, dtype, size, planes="one plane")


def _forward_pool_cases() -> Iterator[Case]:
    for dtype in POOL_TYPES:
        yield Indexed(FORWARD_POOL, dtype, "tiny")
        for size, window in product(REAL_SIZES, WINDOWS):
            yield Indexed(FORWARD_POOL, dtype, size, window)
        for size, window in product(REAL_SIZES, (DISJOINT, OVERLAP)):
            yield Indexed(FORWARD_POOL, dtype, size, window, planes="one plane")
            yield Indexed(FORWARD_POOL, dtype, size, window, index_dtype="int32")


def _representatives() -> Iterator[Case]:
    yield from _backward_representatives()
    yield from _forward_representatives()


def _forward_representatives() -> Iterator[Case]:
    for operator in (FORWARD_EXACT3D, FORWARD_NEAREST3D, FORWARD_EXACT2D):
        yield Upsample(operator, "float32", "tiny", 2.0)
        for dtype, factor in (("float32", 2.0), ("bfloat16", 1.5)):
            yield Upsample(operator, dtype, "medium", factor)
    yield Upsample(FORWARD_EXACT3D, "float32", "medium", 0.5)
    yield Upsample(FORWARD_EXACT3D, "float32", "medium", 2.0, "channels-last", 32)
    yield Upsample(FORWARD_EXACT3D, "float32", "medium", 2.0, "permuted H/W")
    for operator in (FORWARD_EXACT3D, FORWARD_NEAREST3D, FORWARD_EXACT2D):
        yield Upsample(operator, "float32", "large", 2.0)
    for operator in (FORWARD_UNPOOL, FORWARD_POOL):
        yield Indexed(operator, "float32", "tiny")
        yield Indexed(operator, "float32", "medium")
        yield Indexed(operator, "float16", "medium")
        yield Indexed(operator, "float32", "large")
    yield Indexed(FORWARD_POOL, "float32", "medium", OVERLAP)


def _backward_representatives() -> Iterator[Case]:
    for operator in (EXACT3D, NEAREST3D, EXACT2D):
        yield Upsample(operator, "float32", "tiny", 2.0)
        for dtype, factor in (("float32", 2.0), ("float32", 1.5), ("bfloat16", 2.0), ("float32", 0.5)):
            yield Upsample(operator, dtype, "medium", factor)
        yield Upsample(operator, "float32", "large", 2.0)
    for dtype, factor in (("bfloat16", 1.5), ("bfloat16", 0.5), ("float32", 10.0)):
        yield Upsample(EXACT3D, dtype, "medium", factor)
    yield Upsample(EXACT3D, "float32", "medium", 2.0, "channels-last", 3)
    yield Upsample(EXACT3D, "float32", "medium", 1.5, "channels-last", 32)
    yield Upsample(EXACT3D, "float32", "medium", 2.0, "row pitch")
    yield Upsample(EXACT3D, "float32", "medium", 2.0, "permuted H/W")
    yield Upsample(NEAREST3D, "float64", "medium", 1.5)
    yield Upsample(EXACT3D, "float16", "large", 1.5)
    yield Indexed(UNPOOL, "float32", "tiny")
    for dtype in ("float32", "float16", "int64"):
        yield Indexed(UNPOOL, dtype, "medium")
    yield Indexed(UNPOOL, "float32", "medium", planes="one plane")
    yield Indexed(UNPOOL, "float32", "large")
    yield Indexed(POOL, "float32", "tiny")
    for dtype, window in product(("float32", "bfloat16"), (DISJOINT, OVERLAP)):
        yield Indexed(POOL, dtype, "medium", window)
    yield Indexed(POOL, "float32", "medium", OVERLAP, planes="one plane")
    yield Indexed(POOL, "float32", "medium", OVERLAP, indices="random")
    yield Indexed(POOL, "float32", "large", DISJOINT)
    yield Indexed(POOL, "float32", "large", OVERLAP)
