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
    """One call: `tensors`, then `parameters`, both in the order of the array function."""

    operator: str
    tensors: tuple[Array, ...]
    parameters: tuple[Any, ...]
    result_shape: Sizes
    layout: Layout
    terms: int  # about how many cells one result sums
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
    spec, window, dtype = case.spec, case.window, dtype_of(case.dtype)
    source, result = (*case.batch, *case.plane), (*case.batch, *case.pooled)
    if spec.family == "unpool":
        source, result = result, source
    read, written = (result, source) if spec.is_gradient else (source, result)
    # A view with gaps, or permuted, is what a caller makes of values; indices keep what pooling made of them.
    layout: Layout = "channels-last" if case.layout == "channels-last" else "contiguous"
    held = {
        "values": lambda: laid_out(read, dtype, case.layout),
        "shape": lambda: placed(np.zeros(source, dtype), layout),  # never read: zeros that never reach memory
        "indices": lambda: placed(_indices(case), layout),
    }
    return Problem(
        case.operator,
        tuple(held[argument.holds]() for argument in spec.parameters if argument.kind == "tensor"),
        _parameters(case),
        written,
        case.layout,
        math.prod(map(_terms, case.plane, case.pooled)) if window is None else math.prod(window.kernel),
        case.index_dtype if spec.makes_indices else None,
    )


def parameter_names(spec: OpSpec) -> tuple[str, ...]:
    """Of what stands behind the tensors in the array function, as all operators call it."""
    return tuple("scale" if one.is_scale else one.common_name for one in spec.parameters if one.kind != "tensor")


def _parameters(case: Case) -> tuple[Any, ...]:
    values: dict[str, Any] = {
        "outputSize": case.outer or case.plane,
        "inputSize": (*case.batch, *case.plane),
        "alignCorners": case.align_corners,
        "scale": None,
    }
    if window := case.window:
        values |= {"kernelSize": window.kernel, "stride": window.stride, "padding": window.padding}
        values |= {"dilation": window.dilation, "ceilMode": window.ceil_mode}
        values |= {"countIncludePad": window.include_pad, "divisorOverride": window.divisor}
    return tuple(values[name] for name in parameter_names(case.spec))


def _terms(inner: int, outer: int) -> int:
    return 2 + math.ceil(max(outer / inner, inner / outer))


def _indices(case: Case) -> Array:
    planes = math.prod(case.batch)
    if case.indices == "random":
        found = random_indices(case.plane, case.pooled, planes)
    else:
        found = pooling_indices(case.plane, case.windows, planes)
    return found.astype(case.index_dtype).reshape(*case.batch, *case.pooled)


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
