"""A case of the grid as arrays and arguments, ready for every library to run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from acltwin.ops import OPERATORS, OpSpec
from bench.grid import Case, Indexed, Layout, Size, Upsample
from bench.indices import pooled_size, pooling_indices, random_indices

Array = np.ndarray[Any, np.dtype[Any]]
Result = Array | tuple[Array, Array]
"""An array, or maxima and their indices."""

# The larger side of a case: its bytes (tiny: one sample of two channels), and the size of one of its planes.
BYTES: dict[Size, int] = {"tiny": 0, "medium": 8 << 20, "large": 256 << 20}
PLANES: dict[str, dict[Size, tuple[int, ...]]] = {
    "DHW": {"tiny": (4, 8, 8), "medium": (16, 64, 64), "large": (64, 128, 128)},
    "HW": {"tiny": (8, 8), "medium": (256, 256), "large": (1024, 1024)},
}
LINE = 64


@dataclass(frozen=True)
class Problem:
    """One call: `tensors`, then `parameters`, both in documented order."""

    operator: str
    tensors: tuple[Array, ...]
    parameters: tuple[Any, ...]
    result_shape: tuple[int, ...]
    layout: Layout
    terms: int  # about how many gradients one result sums
    bytes_read: int
    bytes_written: int
    index_dtype: str | None = None  # of the second result, if there is one

    @property
    def spec(self) -> OpSpec:
        return OPERATORS[self.operator]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.tensors[0].dtype

    @property
    def keywords(self) -> dict[str, str]:
        if self.index_dtype is not None:
            return {"index_dtype": self.index_dtype}
        # PyTorch's rounding at a cell's border, so that both sides compute the same.
        return {"rule": "torch"} if self.spec.has_map_rule else {}

    def new_result(self) -> Result:
        """Memory for `out=`, touched, in the layout of the tensor that comes in."""
        layout: Layout = "channels-last" if self.layout == "channels-last" else "contiguous"
        result = laid_out(self.result_shape, self.dtype, layout)
        return result if self.index_dtype is None else (result, np.ones(self.result_shape, self.index_dtype))


def build(case: Case) -> Problem:
    return _upsample(case) if isinstance(case, Upsample) else _indexed(case)


def dtype_of(name: str) -> np.dtype[Any]:
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


def laid_out(shape: tuple[int, ...], dtype: np.dtype[Any], layout: Layout) -> Array:
    """Random gradients of that shape, in memory as `layout` says."""
    if layout == "channels-last":
        return np.moveaxis(_filled((shape[0], *shape[2:], shape[1]), dtype), -1, 1)
    if layout == "row pitch":
        return _filled((*shape[:-1], shape[-1] + 16), dtype)[..., : shape[-1]]
    if layout == "permuted H/W":
        return _filled((*shape[:-2], shape[-1], shape[-2]), dtype).swapaxes(-1, -2)
    return _filled(shape, dtype)


def _filled(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Signed random values; a block of them repeated, because making 256 MB of them takes longer than the row."""
    generator = np.random.default_rng(2024)
    count = math.prod(shape)
    block_size = min(count, (1 << 20) + 7)
    if dtype.kind in "iu":
        block = generator.integers(0 if dtype.kind == "u" else -100, 100, block_size).astype(dtype)
    else:
        block = generator.standard_normal(block_size, dtype=np.float32).astype(dtype)
    values = np.empty(count, dtype)
    for start in range(0, count, block_size):
        values[start : start + block_size] = block[: count - start]
    return values.reshape(shape)


def _samples_and_channels(size: Size, plane: tuple[int, ...], item: int, channels: int | None) -> tuple[int, int]:
    if size == "tiny":
        return 1, 2
    planes = max(1, BYTES[size] // (math.prod(plane) * item))
    if channels is None:
        return (2, planes // 2) if planes % 2 == 0 else (1, planes)
    return max(1, round(planes / channels)), channels


def _upsample(case: Upsample) -> Problem:
    dtype = dtype_of(case.dtype)
    larger = PLANES[case.spec.axes][case.size]
    if case.size == "tiny" or case.factor < 1:
        inner = larger
    else:  # even sizes, so that 1.5 gives whole numbers
        inner = tuple(max(2, 2 * round(n / case.factor / 2)) for n in larger)
    outer = tuple(math.floor(n * case.factor + 1e-9) for n in inner)
    batch = _samples_and_channels(case.size, max(inner, outer), dtype.itemsize, case.channels)
    source, result_shape = (*batch, *outer), (*batch, *inner)
    sizes: tuple[Any, ...] = (outer, result_shape)
    if not case.spec.is_gradient:
        source, result_shape, sizes = result_shape, source, (outer,)
    return Problem(
        operator=case.operator,
        tensors=(laid_out(source, dtype, case.layout),),
        parameters=(*sizes, *(0.0 for _ in outer)),
        result_shape=result_shape,
        layout=case.layout,
        terms=math.ceil(case.factor) ** len(outer),
        bytes_read=math.prod(source) * dtype.itemsize,
        bytes_written=math.prod(result_shape) * dtype.itemsize,
    )


def _indexed(case: Indexed) -> Problem:
    dtype = dtype_of(case.dtype)
    plane = PLANES[case.spec.axes][case.size]
    batch = _samples_and_channels(case.size, plane, dtype.itemsize, None)
    if case.planes == "one plane":
        plane, batch = _joined(plane, math.prod(batch)), (1, 1)
    if case.spec.makes_indices:
        return _pooling(case, (*batch, *plane), dtype)
    planes = math.prod(batch)
    indices = _indices(case, plane, planes).reshape(*batch, *pooled_size(plane, case.window))
    full_shape, pooled_shape = (*batch, *plane), indices.shape
    window = case.window
    if case.spec.family == "pool":
        # The values of `input` are never read, only its shape: zeros that never reach memory.
        tensors: tuple[Array, ...] = (
            laid_out(pooled_shape, dtype, "contiguous"),
            np.zeros(full_shape, dtype),
            indices,
        )
        parameters: tuple[Any, ...] = (window.kernel, window.stride, window.padding, (1, 1, 1), False)
        result_shape, gradient_bytes = full_shape, tensors[0].nbytes
    elif not case.spec.is_gradient:
        tensors = (laid_out(pooled_shape, dtype, "contiguous"), indices)
        parameters = (plane, window.stride, window.padding)
        result_shape, gradient_bytes = full_shape, tensors[0].nbytes
    else:
        tensors = (laid_out(full_shape, dtype, "contiguous"), np.zeros(pooled_shape, dtype), indices)
        parameters = (plane, window.stride, window.padding)
        result_shape = pooled_shape
        gradient_bytes = _bytes_touched(indices.reshape(planes, -1), math.prod(plane), dtype.itemsize)
    return Problem(
        operator=case.operator,
        tensors=tensors,
        parameters=parameters,
        result_shape=result_shape,
        layout="contiguous",
        terms=math.prod(window.kernel),
        bytes_read=gradient_bytes + indices.nbytes,
        bytes_written=math.prod(result_shape) * dtype.itemsize,
    )


def _pooling(case: Indexed, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Problem:
    window = case.window
    result_shape = (*shape[:2], *pooled_size(shape[2:], window))
    return Problem(
        operator=case.operator,
        tensors=(laid_out(shape, dtype, "contiguous"),),
        parameters=(window.kernel, window.stride, window.padding, (1, 1, 1), False),
        result_shape=result_shape,
        layout="contiguous",
        terms=1,
        bytes_read=math.prod(shape) * dtype.itemsize,
        bytes_written=math.prod(result_shape) * (dtype.itemsize + np.dtype(case.index_dtype).itemsize),
        index_dtype=case.index_dtype,
    )


def _joined(plane: tuple[int, ...], planes: int) -> tuple[int, ...]:
    """One plane of the size of `planes`, doubled along one axis after the other."""
    joined, axis = list(plane), 0
    while planes > 1:
        joined[axis] *= 2
        planes //= 2
        axis = (axis + 1) % len(joined)
    return tuple(joined)


def _indices(case: Indexed, plane: tuple[int, ...], planes: int) -> Array:
    make = random_indices if case.indices == "random" else pooling_indices
    return make(plane, case.window, planes).astype(case.index_dtype)


def _bytes_touched(indices: Array, plane_size: int, item: int) -> int:
    """A gather reads only the cache lines that its indices point into."""
    lines = 0
    for plane in indices:
        touched = np.zeros(plane_size * item // LINE + 1, dtype=np.bool_)
        touched[plane * item // LINE] = True
        lines += int(np.count_nonzero(touched))
    return lines * LINE
