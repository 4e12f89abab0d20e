"""A case as arrays and arguments, ready for every library to run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from acltwin.ops import OpSpec
from bench.cases import OPERATORS, Case, Layout, Sizes, dtype_of
from bench.indices import pooling_indices, random_indices

Array = np.ndarray[Any, np.dtype[Any]]
Result = Array | tuple[Array, Array]
"""An array, or maxima and their indices."""


@dataclass(frozen=True)
class Problem:
    """One call: `tensors`, then `parameters`, both in documented order."""

    operator: str
    tensors: tuple[Array, ...]
    parameters: tuple[Any, ...]
    result_shape: Sizes
    layout: Layout
    terms: int  # about how many gradients one result sums
    index_dtype: str | None = None  # of the second result, if there is one

    @property
    def spec(self) -> OpSpec:
        return OPERATORS[self.operator]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.tensors[0].dtype

    @property
    def bytes_written(self) -> int:
        index = 0 if self.index_dtype is None else np.dtype(self.index_dtype).itemsize
        return math.prod(self.result_shape) * (self.dtype.itemsize + index)

    @property
    def bytes(self) -> int:
        return sum(tensor.nbytes for tensor in self.tensors) + self.bytes_written

    @property
    def keywords(self) -> dict[str, str]:
        if self.index_dtype is not None:
            return {"index_dtype": self.index_dtype}
        # PyTorch's rounding at a cell's border, so that both sides compute the same.
        return {"rule": "torch"} if self.spec.has_map_rule else {}

    def new_result(self) -> Result:
        """Memory for `out=`, touched, in the layout of the first tensor. Unpooling only writes contiguous memory."""
        channels_last = self.layout == "channels-last" and self.spec.family != "unpool"
        layout: Layout = "channels-last" if channels_last else "contiguous"
        result = laid_out(self.result_shape, self.dtype, layout)
        if self.index_dtype is None:
            return result
        return result, laid_out(self.result_shape, np.dtype(self.index_dtype), layout)


def build(case: Case) -> Problem:
    if case.window is None:
        return _upsample(case)
    return _pooling(case) if case.spec.makes_indices else _indexed(case)


def laid_out(shape: Sizes, dtype: np.dtype[Any], layout: Layout) -> Array:
    """Random values of that shape, in memory as `layout` says."""
    return placed(_filled(shape, dtype), layout)


def placed(array: Array, layout: Layout) -> Array:
    """The same values, in memory as `layout` says."""
    if layout == "channels-last":
        return np.moveaxis(np.ascontiguousarray(np.moveaxis(array, 1, -1)), -1, 1)
    if layout == "row pitch":
        wide = np.zeros((*array.shape[:-1], array.shape[-1] + 16), array.dtype)
        wide[..., : array.shape[-1]] = array
        return wide[..., : array.shape[-1]]
    if layout == "permuted H/W" and array.ndim > 3:
        return np.ascontiguousarray(array.swapaxes(-1, -2)).swapaxes(-1, -2)
    return np.ascontiguousarray(array)


def _filled(shape: Sizes, dtype: np.dtype[Any]) -> Array:
    """Signed random values; a block of them repeated, because making 256 MB of them takes longer than the row."""
    generator = np.random.default_rng(2024)
    count = math.prod(shape)
    block_size = min(count, (1 << 20) + 7)
    if dtype.kind in "iu":
        block = generator.integers(0 if dtype.kind == "u" else -100, 100, block_size).astype(dtype)
    else:
        block = generator.standard_normal(block_size, dtype=np.float32).astype(dtype)
    return np.resize(block, count).reshape(shape)


def _upsample(case: Case) -> Problem:
    inner, outer = (*case.batch, *case.plane), (*case.batch, *case.outer)
    gradient = case.spec.is_gradient
    source, result_shape = (outer, inner) if gradient else (inner, outer)
    sizes: tuple[Any, ...] = (case.outer, inner) if gradient else (case.outer,)
    factors = [max(1, math.ceil(o / i)) for o, i in zip(case.outer, case.plane, strict=True)]
    return Problem(
        case.operator,
        (laid_out(source, dtype_of(case.dtype), case.layout),),
        (*sizes, *(0.0 for _ in case.outer)),
        result_shape,
        case.layout,
        math.prod(factors),
    )


def _pooling(case: Case) -> Problem:
    window = case.window
    assert window is not None
    source = laid_out((*case.batch, *case.plane), dtype_of(case.dtype), case.layout)
    parameters = (window.kernel, window.stride, window.padding, window.dilation, window.ceil_mode)
    shape = (*case.batch, *window.pooled(case.plane))
    return Problem(case.operator, (source,), parameters, shape, case.layout, 1, case.index_dtype)


def _indexed(case: Case) -> Problem:
    window = case.window
    assert window is not None
    dtype, full = dtype_of(case.dtype), (*case.batch, *case.plane)
    make = random_indices if case.indices == "random" else pooling_indices
    pooled = (*case.batch, *window.pooled(case.plane))
    found = make(case.plane, window, math.prod(case.batch)).astype(case.index_dtype).reshape(pooled)
    # A view with gaps, or permuted, is what a caller makes of values; indices keep what pooling made of them.
    layout: Layout = "channels-last" if case.layout == "channels-last" else "contiguous"
    indices = placed(found, layout)
    terms = math.prod(window.kernel)
    if case.spec.family == "pool":
        # The values of `input` are never read, only its shape: zeros that never reach memory.
        like = placed(np.zeros(full, dtype), layout)
        parameters: tuple[Any, ...] = (window.kernel, window.stride, window.padding, window.dilation, window.ceil_mode)
        tensors = (laid_out(pooled, dtype, case.layout), like, indices)
        return Problem(case.operator, tensors, parameters, full, case.layout, terms)
    told = any(argument.name == "stride" for argument in case.spec.inputs)
    parameters = (case.plane, window.stride, window.padding) if told else (case.plane,)
    if case.spec.is_gradient:
        tensors = (laid_out(full, dtype, case.layout), placed(np.zeros(pooled, dtype), layout), indices)
        return Problem(case.operator, tensors, parameters, pooled, case.layout, terms)
    return Problem(case.operator, (laid_out(pooled, dtype, case.layout), indices), parameters, full, case.layout, terms)
