"""Upsamplings whose volumes may be cut: those that copy every cell equally often."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dask.array as da
import numpy as np

from acltwin.ops import OpSpec
from acltwin.reference.interval_table import interval_table
from acltwin.reference.source_table import scale_given, source_table


def even_factors(
    spec: OpSpec,
    tensors: Mapping[str, da.Array],
    parameters: Mapping[str, Any],
    spatial: slice,
    result_shape: tuple[int, ...],
) -> tuple[int, ...]:
    """The factor along each axis that is cut, 0 along the others; all 0 where some chunk needs another one's cells."""
    array = next(iter(tensors.values()))
    none = (0,) * len(spec.axes)
    if spec.family != "upsample":
        return none
    rule = parameters.get("rule", "device")
    scales = [parameters[arg.python_name] for arg in spec.parameters if arg.is_scale]
    axes = zip(array.chunks[spatial], array.shape[spatial], result_shape[spatial], scales, strict=True)
    factors = []
    for chunks, size, result_size, scale in axes:
        if len(chunks) == 1:
            factors.append(0)
            continue
        small, large = (result_size, size) if spec.is_gradient else (size, result_size)
        factor = _whole_factor(small, large, scale)
        piece = factor if spec.is_gradient else 1  # what a chunk holds multiples of
        if factor == 0 or any(chunk == 0 or chunk % piece for chunk in chunks):
            return none
        if not _copies_evenly(spec, small, large, scale, rule):
            return none
        factors.append(factor)
    return tuple(factors)


def _whole_factor(small: int, large: int, scale: float | None) -> int:
    """How often each cell is copied; 0 when that is not the same number for all, or a given scale says otherwise."""
    if large % small != 0:
        return 0
    factor = large // small
    return 0 if scale_given(scale) and scale != factor else factor


def _copies_evenly(spec: OpSpec, small: int, large: int, scale: float | None, rule: Any) -> bool:
    """Whether float32 arithmetic agrees: along long axes it may be off by one, where a chunk on its own is not."""
    factor = large // small
    if spec.is_gradient:
        return np.array_equal(interval_table(small, large, scale, spec.is_exact, rule), np.arange(small + 1) * factor)
    # A chunk may be a small image, of which PyTorch has a kernel of its own, where the whole is none.
    tables = [source_table(small, large, scale, spec.is_exact, rule, fused) for fused in (False, True)]
    return all(np.array_equal(table, np.arange(large) // factor) for table in tables)
