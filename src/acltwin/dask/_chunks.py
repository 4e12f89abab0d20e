"""Chunks that an operator can work on: whole volumes, and the same N and C in every tensor."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Literal, get_args

import dask.array as da
import numpy as np
from dask.utils import format_bytes

from acltwin.ops import OpSpec

SpatialChunks = Literal["refuse", "rechunk"]
"""What to do with tensors whose volumes are cut: raise, or rechunk them and warn of the cost."""

CALLER = 6  # stack levels from the warning, through the call and the public function, to the user's line


def check_arrays(operator: str, tensors: Mapping[str, object]) -> None:
    """Every tensor is a dask array of ordinary NumPy chunks whose sizes are known."""
    for name, array in tensors.items():
        if not isinstance(array, da.Array):
            raise TypeError(
                f"{operator}: {name} is of type {type(array).__name__}, expected a dask array; wrap it with "
                f"dask.array.from_array, or call acltwin.{operator} on arrays that are in memory"
            )
        if not isinstance(array._meta, np.ndarray):
            raise TypeError(
                f"{operator}: {name} has chunks of type {type(array._meta).__name__}, expected numpy.ndarray; "
                "convert them with .map_blocks"
            )
        if not array.dtype.isnative:
            raise TypeError(
                f"{operator}: {name} is in another byte order, expected this machine's; convert it with "
                ".astype(array.dtype.newbyteorder('='))"
            )
        if any(np.isnan(size) for size in array.shape):
            raise ValueError(
                f"{operator}: {name} has chunks of unknown size, expected known ones; call .compute_chunk_sizes() first"
            )


def align(
    spec: OpSpec, tensors: Mapping[str, da.Array], spatial: slice, spatial_chunks: SpatialChunks, may_be_cut: bool
) -> list[da.Array]:
    """The tensors cut at the same places along N and C, with whole volumes in each chunk unless these may be cut."""
    if spatial_chunks not in get_args(SpatialChunks):
        raise ValueError(f'{spec.name}: spatial_chunks is {spatial_chunks!r}, expected "refuse" or "rechunk"')
    cut = {name: array for name, array in tensors.items() if not may_be_cut and volumes_are_cut(array, spatial)}
    whole = {name: _with_whole_volumes(array, spatial) for name, array in cut.items()}
    if cut:
        _refuse_or_warn(spec, cut, whole, spatial, spatial_chunks)
    return _with_common_chunks({**tensors, **whole}, spatial)


def volume(spec: OpSpec) -> str:
    """What an operator works on at a time."""
    return {1: "row", 2: "plane", 3: "volume"}[len(spec.axes)]


def volumes_are_cut(array: da.Array, spatial: slice) -> bool:
    return any(len(sizes) > 1 for sizes in array.chunks[spatial])


def _with_whole_volumes(array: da.Array, spatial: slice) -> da.Array:
    """As many volumes in a chunk as dask's own chunk size allows, and at least one."""
    axes = range(array.ndim)
    whole: da.Array = array.rechunk({axis: -1 if axis in axes[spatial] else "auto" for axis in axes})
    return whole


def _refuse_or_warn(
    spec: OpSpec,
    cut: Mapping[str, da.Array],
    whole: Mapping[str, da.Array],
    spatial: slice,
    spatial_chunks: SpatialChunks,
) -> None:
    name, array = next(iter(cut.items()))
    problem = (
        f"{spec.name}: {name} has chunks of {array.chunksize[spatial]} cells along its spatial axes, expected whole "
        f"{volume(spec)}s of {array.shape[spatial]}"
    )
    moved = int(sum(array.nbytes for array in cut.values()))
    largest = max(int(np.prod(array.chunksize)) * array.dtype.itemsize for array in whole.values())
    cost = f"moves {format_bytes(moved)} and makes chunks of up to {format_bytes(largest)}"
    if spatial_chunks == "refuse":
        raise ValueError(
            f'{problem}; load it with chunks only along N and C, or pass spatial_chunks="rechunk", which {cost}'
        )
    warnings.warn(f"{problem}; rechunking {cost}", da.PerformanceWarning, stacklevel=CALLER)


def _with_common_chunks(tensors: Mapping[str, da.Array], spatial: slice) -> list[da.Array]:
    """Spatial axes of one size are cut alike; others have nothing to do with each other."""
    pairs: list[object] = []
    for array in tensors.values():
        axes = range(array.ndim)
        pairs += [array, tuple((axis, array.shape[axis]) if axis in axes[spatial] else axis for axis in axes)]
    _, arrays = da.core.unify_chunks(*pairs)
    return list(arrays)
