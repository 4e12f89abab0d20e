"""A call on dask arrays: checked when it is written down, and cut into tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import dask.array as da
import ml_dtypes  # noqa: F401 - gives NumPy the name "bfloat16"
import numpy as np
from dask.layers import ArraySliceDep

from acltwin import _core
from acltwin.dask._chunks import SpatialChunks, align, check_arrays


@dataclass(frozen=True)
class Result:
    """What a call gives, known before any of it is computed."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    @property
    def meta(self) -> np.ndarray[Any, np.dtype[Any]]:
        return np.empty((0,) * len(self.shape), self.dtype)


@dataclass(frozen=True)
class Call:
    """One call of an operator."""

    operator: str
    tensors: Mapping[str, da.Array]
    arguments: tuple[Any, ...]  # of the core's function, after the tensors
    spatial: slice  # the axes of a plane; those before and after are N and C, whatever the operator calls them
    spatial_chunks: SpatialChunks

    def results(self) -> list[Result]:
        """What the call gives; or it is refused, with the words of the array function."""
        check_arrays(self.operator, self.tensors)
        described = ((array.dtype.name, array.shape) for array in self.tensors.values())
        inferred = _core.infer(self.operator, *described, *self.arguments)
        return [Result(np.dtype(dtype), shape) for dtype, shape in inferred]

    def aligned(self, *names: str) -> list[da.Array]:
        """The named tensors with whole planes in each chunk, cut at the same places along N and C."""
        return align(self.operator, {name: self.tensors[name] for name in names}, self.spatial, self.spatial_chunks)

    def mapped(
        self, task: Callable[..., Any], tensors: list[da.Array], result: Result, *, placed: bool = False, **details: Any
    ) -> da.Array:
        """`task` on each chunk; with `placed` it is told where the chunk lies in the whole array."""
        chunks = list(tensors[0].chunks)
        chunks[self.spatial] = [(size,) for size in result.shape[self.spatial]]
        array: da.Array = da.map_blocks(
            task,
            *tensors,
            *([ArraySliceDep(tensors[0].chunks)] if placed else []),
            operator=self.operator,
            arguments=deepcopy(self.arguments),  # a list may change before the tasks run
            token=self.operator,
            chunks=tuple(chunks),
            meta=result.meta,
            **details,
        )
        return array
