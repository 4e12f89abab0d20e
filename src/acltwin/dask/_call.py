"""A call on dask arrays: checked when it is written down, and cut into tasks."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import dask.array as da
import ml_dtypes  # noqa: F401 - gives NumPy the name "bfloat16"
import numpy as np
from dask.layers import ArraySliceDep

from acltwin import _core
from acltwin.dask import _tasks
from acltwin.dask._arguments import core_arguments, data_format
from acltwin.dask._chunks import SpatialChunks, align, check_arrays, volumes_are_cut
from acltwin.dask._factors import even_factors
from acltwin.dask._windows import axes_of, gathered, has_windows, pieces_of
from acltwin.dask._windows import run as run_piece
from acltwin.ops import OpSpec


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

    spec: OpSpec
    tensors: Mapping[str, da.Array]
    parameters: Mapping[str, Any]  # of the array function, beside the tensors and out
    spatial_chunks: SpatialChunks

    @property
    def spatial(self) -> slice:
        """The axes of a volume; those before and after are N and C, whatever the operator calls them."""
        channels_last = str(data_format(self.spec, self.parameters)).endswith("C")
        return slice(1, -1) if channels_last else slice(-len(self.spec.axes), None)

    def results(self) -> list[Result]:
        """What the call gives; or it is refused, with the words of the array function."""
        check_arrays(self.spec.name, self.tensors)
        described = {name: (array.dtype.name, array.shape) for name, array in self.tensors.items()}
        inferred = _core.infer(self.spec.name, *core_arguments(self.spec, {**described, **self.parameters}))
        return [Result(np.dtype(dtype), shape) for dtype, shape in inferred]

    def chunked(self) -> da.Array | tuple[da.Array, ...]:
        """The result, or as many as the operator has: of these one task per chunk gives all, and each takes its own."""
        results = self.results()
        read = {arg.python_name for arg in self.spec.parameters if arg.kind == "tensor" and arg.holds != "shape"}
        arrays = {name: array for name, array in self.tensors.items() if name in read}
        cut = any(volumes_are_cut(array, self.spatial) for array in arrays.values())
        blocks = (self._pieces if cut and has_windows(self.spec) else self._chunks)(arrays, results[0])
        if len(results) == 1:
            return blocks
        return tuple(
            da.map_blocks(_tasks.item, blocks, index=index, meta=result.meta, token=self.spec.name)
            for index, result in enumerate(results)
        )

    def _chunks(self, arrays: Mapping[str, da.Array], result: Result) -> da.Array:
        """Of whole volumes, or of volumes that are upsampled by whole factors."""
        factors = even_factors(self.spec, self.tensors, self.parameters, self.spatial, result.shape)
        aligned = align(self.spec, arrays, self.spatial, self.spatial_chunks, may_be_cut=any(factors))
        chunks = list(aligned[0].chunks)
        chunks[self.spatial] = [
            tuple(_tasks.resized(self.spec, size, factor) for size in sizes) if factor else (whole,)
            for sizes, factor, whole in zip(chunks[self.spatial], factors, result.shape[self.spatial], strict=True)
        ]
        extra = {"plane": result.shape[self.spatial], "factors": factors}
        return self._mapped(_tasks.run, aligned, chunks, result, extra)

    def _pieces(self, arrays: Mapping[str, da.Array], result: Result) -> da.Array:
        """Of volumes that are cut, whose windows may reach across."""
        aligned = align(self.spec, arrays, self.spatial, self.spatial_chunks, may_be_cut=True)
        sizes = aligned[0].shape[self.spatial], result.shape[self.spatial]
        cells, windows = reversed(sizes) if self.spec.is_gradient else sizes
        axes = axes_of(self.spec, self.parameters, cells, windows)
        pieces = pieces_of(self.spec, axes, aligned[0], self.spatial)
        parts = [gathered(array, pieces, self.spatial) for array in aligned]
        chunks = list(parts[0].chunks)
        chunks[self.spatial] = [tuple(piece.made.stop - piece.made.start for piece in along) for along in pieces]
        return self._mapped(run_piece, parts, chunks, result, {"axes": axes, "pieces": pieces})

    def _mapped(
        self, task: Any, arrays: list[da.Array], chunks: list[Any], result: Result, extra: Mapping[str, Any]
    ) -> da.Array:
        """One task on each chunk; where indices matter, it is told where the chunk lies in the whole array."""
        takes_indices = any(argument.holds == "indices" for argument in self.spec.parameters)
        array: da.Array = da.map_blocks(
            task,
            *arrays,
            *([ArraySliceDep(arrays[0].chunks)] if takes_indices else []),
            operator=self.spec.name,
            parameters=deepcopy(self.parameters),  # a list may change before the tasks run
            spatial=self.spatial,
            token=self.spec.name,
            chunks=tuple(chunks),
            meta=result.meta,
            **extra,
        )
        return array
