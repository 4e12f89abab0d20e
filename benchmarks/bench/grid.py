"""The fixed rows: a table that shows from run to run what has become slower. What is published is a sample instead."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

from acltwin.ops import OpSpec
from bench.cases import (
    OPERATORS,
    Case,
    Layout,
    Row,
    Size,
    Sizes,
    dtype_of,
    has_indices,
    has_window,
    is_adaptive,
    window,
)

THREADS = 2

SPECS = (
    *(spec for spec in OPERATORS.values() if spec.is_gradient),
    *(spec for spec in OPERATORS.values() if not spec.is_gradient),
)
"""The gradients first."""

# The larger side of a case: its bytes (tiny: one sample of two channels), and the size of one of its planes.
BYTES: dict[Size, int] = {"tiny": 0, "medium": 8 << 20, "large": 256 << 20}
PLANES: dict[int, dict[Size, Sizes]] = {
    1: {"tiny": (64,), "medium": (4096,), "large": (1 << 16,)},
    2: {"tiny": (8, 8), "medium": (256, 256), "large": (1024, 1024)},
    3: {"tiny": (4, 8, 8), "medium": (16, 64, 64), "large": (64, 128, 128)},
}
TINY_TYPES = ("float32", "bfloat16")


def grid_rows() -> list[Row]:
    """A representative of every operator, kind of dtype, size and layout."""
    return [Row(case, THREADS) for spec in SPECS for case in _representatives(spec)]


def tiny_cases() -> list[Case]:
    """Every operator by factor or window, in 32 and in 16 bits."""
    return [case for spec in SPECS for dtype in TINY_TYPES for case in _tiny(spec, dtype)]


def memory_cases() -> list[Case]:
    """In 16 bits, where sums need more than the result has room for."""
    return [_first(spec, "bfloat16", "large") for spec in SPECS]


def _tiny(spec: OpSpec, dtype: str) -> Iterator[Case]:
    if has_window(spec):
        for kind in _kinds(spec):
            yield indexed(spec, dtype, "tiny", kind)
    else:
        for factor in _factors(spec):
            yield upsampling(spec, dtype, "tiny", factor)


def _first(spec: OpSpec, dtype: str, size: Size) -> Case:
    if has_window(spec):
        return indexed(spec, dtype, size, _kinds(spec)[-1])
    return upsampling(spec, dtype, size, _factors(spec)[0])


def _kinds(spec: OpSpec) -> tuple[tuple[int, int, int], ...]:
    return (DISJOINT,) if spec.family == "unpool" else (DISJOINT, OVERLAP)


def _factors(spec: OpSpec) -> tuple[float, ...]:
    """The usual one first."""
    return (0.5, 0.25, 0.3) if is_adaptive(spec) else (2.0, 1.5, 0.5)


def _representatives(spec: OpSpec) -> Iterator[Case]:
    return _indexed_representatives(spec) if has_window(spec) else _upsample_representatives(spec)


def _upsample_representatives(spec: OpSpec) -> Iterator[Case]:
    usual, fraction, other = _factors(spec)
    yield upsampling(spec, "float32", "tiny", usual)
    for dtype, factor in (("float32", usual), ("bfloat16", fraction)):
        yield upsampling(spec, dtype, "medium", factor)
    if spec.is_gradient:
        for dtype, factor in (("float32", fraction), ("bfloat16", usual), ("float32", other)):
            yield upsampling(spec, dtype, "medium", factor)
    if len(spec.axes) == 3:
        yield upsampling(spec, "float32", "medium", usual, "channels-last", 3)
        yield upsampling(spec, "float32", "medium", fraction, "channels-last", 32)
        yield upsampling(spec, "float32", "medium", usual, "permuted H/W")
    yield upsampling(spec, "float32", "large", usual)


def _indexed_representatives(spec: OpSpec) -> Iterator[Case]:
    windows = _kinds(spec)
    yield indexed(spec, "float32", "tiny")
    for dtype, kind in product(("float32", "bfloat16"), windows):
        yield indexed(spec, dtype, "medium", kind)
    yield indexed(spec, "float32", "medium", windows[-1], one_plane=True)
    if spec.is_gradient and has_indices(spec):
        yield indexed(spec, "float32", "medium", windows[-1], indices="random")
    for kind in windows:
        yield indexed(spec, "float32", "large", kind)


DISJOINT, OVERLAP = (2, 2, 0), (3, 2, 1)


def upsampling(
    spec: OpSpec, dtype: str, size: Size, factor: float, layout: Layout = "contiguous", channels: int | None = None
) -> Case:
    """`factor` is that of the forward pass."""
    larger = PLANES[len(spec.axes)][size]
    even = tuple(max(2, 2 * round(n / factor / 2)) for n in larger)  # so that 1.5 gives whole numbers
    inner = larger if size == "tiny" or factor < 1 else even
    outer = tuple(math.floor(n * factor + 1e-9) for n in inner)
    batch = _samples_and_channels(size, max(inner, outer), dtype, channels)
    return Case(spec.name, dtype, batch, inner, outer, layout=layout)


def indexed(
    spec: OpSpec,
    dtype: str,
    size: Size,
    kind: tuple[int, int, int] = DISJOINT,
    *,
    one_plane: bool = False,
    indices: str = "pooling",
) -> Case:
    plane = PLANES[len(spec.axes)][size]
    batch = _samples_and_channels(size, plane, dtype, None)
    if one_plane:
        plane, batch = _joined(plane, math.prod(batch)), (1, 1)
    shape = window(len(plane), *kind)
    return Case(spec.name, dtype, batch, plane, window=shape, indices="random" if indices == "random" else "pooling")


def _samples_and_channels(size: Size, plane: Sizes, dtype: str, channels: int | None) -> tuple[int, int]:
    if size == "tiny":
        return 1, 2
    planes = max(1, BYTES[size] // (math.prod(plane) * dtype_of(dtype).itemsize))
    if channels is None:
        return (2, planes // 2) if planes % 2 == 0 else (1, planes)
    return max(1, round(planes / channels)), channels


def _joined(plane: Sizes, planes: int) -> Sizes:
    """One plane of the size of `planes`, doubled along one axis after the other."""
    joined, axis = list(plane), 0
    while planes > 1:
        joined[axis] *= 2
        planes //= 2
        axis = (axis + 1) % len(joined)
    return tuple(joined)
