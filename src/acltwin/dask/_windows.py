"""Pooling of volumes that are cut: every chunk is computed from its own cells and those that its windows share.

Each piece of the result names the part of the tensors that it needs. These parts, which overlap where windows do,
become the chunks of one array per tensor, and a task computes one piece from them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise, starmap
from typing import Any

import dask.array as da
import numpy as np
from numpy.typing import NDArray

from acltwin import _core
from acltwin.dask._arguments import core_arguments
from acltwin.dask._averages import spread
from acltwin.dask._chunks import volume
from acltwin.dask._pieces import Piece, WindowAxis, length, replaced
from acltwin.dask._worker import settle
from acltwin.ops import PLANEWISE, OpSpec
from acltwin.ops.spec import snake_case

_WINDOW = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")
_ALWAYS = {"kernel_size", "stride", "padding", "ceil_mode"}


def has_windows(spec: OpSpec) -> bool:
    """Whether the operator pools by windows of one size, or adds up gradients of such windows. Where a maximum was,
    only indices tell."""
    places = any(argument.holds == "indices" for argument in spec.inputs)
    return set(names_of(spec)) >= _ALWAYS and (places or not spec.is_gradient or spec.family == "average")


def names_of(spec: OpSpec) -> dict[str, str]:
    """What the array function calls the parameters of its windows, by what most operators call them."""
    names = {snake_case(argument.common_name): argument.python_name for argument in spec.parameters}
    return {name: own for name, own in names.items() if name in _WINDOW}


def axes_of(
    spec: OpSpec, parameters: Mapping[str, Any], cells: Sequence[int], windows: Sequence[int]
) -> list[WindowAxis]:
    given = {name: _per_axis(parameters[own], len(cells)) for name, own in names_of(spec).items()}
    kernel, ones, none = given["kernel_size"], (1,) * len(cells), (0,) * len(cells)
    (step,) = (argument.empty for argument in spec.parameters if argument.common_name == "stride")
    stride = given["stride"] or (ones if step else kernel)
    # Of one number per side, those behind the cells only matter to the number of windows.
    padding, dilation = (given["padding"] or none)[: len(cells)], (given.get("dilation") or ones)[: len(cells)]
    sizes = zip(cells, windows, kernel, stride, padding, dilation, strict=True)
    return [WindowAxis(*map(int, along)) for along in sizes]


def _per_axis(value: Any, axes: int) -> tuple[int, ...]:
    """One number per axis; none if there is none."""
    values = () if value is None else tuple(value) if np.iterable(value) else (value,)
    return values * axes if len(values) == 1 else values


def pieces_of(spec: OpSpec, axes: Sequence[WindowAxis], array: da.Array, spatial: slice) -> list[list[Piece]]:
    """The pieces along each spatial axis, by the chunks of a tensor that is read."""
    along = zip(axes, array.chunks[spatial], strict=True)
    return [axis.scattered(chunks) if spec.is_gradient else axis.pooled(chunks) for axis, chunks in along]


def gathered(array: da.Array, pieces: Sequence[Sequence[Piece]], spatial: slice) -> da.Array:
    """The parts that pieces read, a chunk for each."""
    for axis, along in zip(range(array.ndim)[spatial], pieces, strict=True):
        borders = [0, *np.cumsum(array.chunks[axis]).tolist()]
        if [piece.read for piece in along] == list(starmap(slice, pairwise(borders))):
            continue  # no window crosses a border
        before = (slice(None),) * axis
        parts = [array[(*before, piece.read)] for piece in along]
        array = da.concatenate(parts, axis).rechunk({axis: tuple(length(piece.read) for piece in along)})
    return array


def run(
    *blocks: Any,
    operator: str,
    parameters: Mapping[str, Any],
    spatial: slice,
    axes: Sequence[WindowAxis],
    pieces: Sequence[Sequence[Piece]],
    block_id: tuple[int, ...],
) -> Any:
    """One piece of the results, from the parts that it reads. Behind them comes their place along N and C, if a tensor
    holds indices."""
    settle()
    spec = PLANEWISE[operator]
    own = [along[number] for along, number in zip(pieces, block_id[spatial], strict=True)]
    if spec.family == "average" and spec.is_gradient:
        return spread(spec, blocks[0], parameters, spatial, axes, own)
    if spec.is_gradient:
        gradient, indices, place = blocks
        return _scatter(spec, gradient, indices, place, parameters, spatial, axes, own)
    return _pool(spec, blocks[0], parameters, spatial, axes, own)


def _pool(
    spec: OpSpec,
    cells: NDArray[Any],
    parameters: Mapping[str, Any],
    spatial: slice,
    axes: Sequence[WindowAxis],
    own: Sequence[Piece],
) -> Any:
    results = _core.run_inferred(spec.name, *core_arguments(spec, {**parameters, spec.inputs[0].python_name: cells}))
    skipped = [piece.made.start - piece.read.start // axis.stride for axis, piece in zip(axes, own, strict=True)]
    wanted: list[slice] = [slice(None)] * cells.ndim
    wanted[spatial] = [slice(n, n + length(piece.made)) for n, piece in zip(skipped, own, strict=True)]
    if not spec.makes_indices:
        return results[tuple(wanted)]
    maxima, indices = (result[tuple(wanted)] for result in results)
    starts = [piece.read.start for piece in own]
    return maxima, _renumbered(indices, cells.shape[spatial], starts, [axis.cells for axis in axes])


def _renumbered(
    indices: NDArray[Any], plane: Sequence[int], starts: Sequence[int], whole: Sequence[int]
) -> NDArray[Any]:
    """Places in a part of a plane as places in the whole."""
    if tuple(plane[1:]) == tuple(whole[1:]):  # the part is a slab
        slab: NDArray[Any] = indices + indices.dtype.type(starts[0] * math.prod(whole[1:]))
        return slab
    places = np.unravel_index(indices, tuple(plane))
    moved = tuple(place + start for place, start in zip(places, starts, strict=True))
    return _raveled(moved, whole, indices.dtype)


def _scatter(
    spec: OpSpec,
    gradient: NDArray[Any],
    indices: NDArray[Any],
    place: tuple[slice, ...],
    parameters: Mapping[str, Any],
    spatial: slice,
    axes: Sequence[WindowAxis],
    own: Sequence[Piece],
) -> Any:
    """The gradients of all windows that reach the piece, added in all of their cells, of which the piece is kept.

    Where the windows lie does not matter to the sums, so any windows that fit the sizes will do.
    """
    part = [axis.reach(piece) for axis, piece in zip(axes, own, strict=True)]
    position = list(place)
    position[spatial] = [piece.read for piece in own]
    places = _places_within(spec, indices, position, spatial, axes, part)
    plane, windows = tuple(map(length, part)), gradient.shape[spatial]
    size = plane
    if any(count > length for count, length in zip(windows, plane, strict=True)):  # then as one row, with room for all
        ones, count = (1,) * (len(plane) - 1), math.prod(windows)
        windows, size = (*ones, count), (*ones, max(count, math.prod(plane)))
    stride = [length // count for length, count in zip(size, windows, strict=True)]
    kernel = [length - (count - 1) * step for length, count, step in zip(size, windows, stride, strict=True)]
    tensors = {
        "values": gradient.reshape(replaced(gradient.shape, spatial, windows)),
        "indices": places.reshape(replaced(gradient.shape, spatial, windows)),
        "shape": np.broadcast_to(np.zeros((), gradient.dtype), replaced(gradient.shape, spatial, size)),
    }
    named = {argument.python_name: tensors[argument.holds] for argument in spec.inputs if argument.kind == "tensor"}
    window = dict(zip(_WINDOW, (kernel, stride, 0, 1, False), strict=True))
    result = _core.run_inferred(spec.name, *core_arguments(spec, {**parameters, **named, **window}))
    kept: list[slice] = [slice(None)] * gradient.ndim
    if size != plane:
        kept[spatial] = [slice(1)] * (len(plane) - 1) + [slice(math.prod(plane))]
        result = result[tuple(kept)]
    kept[spatial] = [slice(p.made.start - r.start, p.made.stop - r.start) for p, r in zip(own, part, strict=True)]
    return result.reshape(replaced(gradient.shape, spatial, plane))[tuple(kept)]


def _places_within(
    spec: OpSpec,
    indices: NDArray[Any],
    position: Sequence[slice],
    spatial: slice,
    axes: Sequence[WindowAxis],
    part: Sequence[slice],
) -> NDArray[Any]:
    """Places in the whole plane as places in a part of it; each must lie in its window, or it would be lost."""
    plane = tuple(axis.cells for axis in axes)
    cells, sizes = math.prod(plane), "*".join(map(str, plane))
    outside = (indices < 0) | (indices >= cells)
    if outside.any():
        raise IndexError(
            f"{spec.name}: {_first(outside, indices, position)}, expected 0 <= index < {cells} "
            f"({'*'.join(spec.axes)} of input = {sizes}); {_advice(spec)} [index_range]"
        )
    places = np.unravel_index(indices, plane)
    for number, (axis, along) in enumerate(zip(axes, position[spatial], strict=True)):
        shape = [1] * indices.ndim
        shape[range(indices.ndim)[spatial][number]] = -1
        starts = np.arange(axis.start(along.start), axis.start(along.stop), axis.stride).reshape(shape)
        elsewhere = (places[number] < starts) | (places[number] >= starts + axis.span)
        if elsewhere.any():
            raise IndexError(
                f"{spec.name}: {_first(elsewhere, indices, position)}, expected a cell of its window where a "
                f"{volume(spec)} is cut; {_advice(spec)}, or rechunk to whole {volume(spec)}s"
            )
    local = tuple(place - along.start for place, along in zip(places, part, strict=True))
    return _raveled(local, [length(along) for along in part], indices.dtype)


def _raveled(places: tuple[NDArray[Any], ...], sizes: Sequence[int], dtype: np.dtype[Any]) -> NDArray[Any]:
    numbers: NDArray[Any] = np.ravel_multi_index(places, tuple(sizes)).astype(dtype)
    return numbers


def _first(wrong: NDArray[Any], indices: NDArray[Any], position: Sequence[slice]) -> str:
    at = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
    whole = ", ".join(str(int(number) + along.start) for number, along in zip(at, position, strict=True))
    return f"indices[{whole}] is {indices[at]}"


def _advice(spec: OpSpec) -> str:
    own = f"{'*'.join(spec.axes)} {volume(spec)}"
    return f"pass indices as the pooling returned them: each counts the cells of its own {own}"
