"""What runs on a worker: one call of an operator on the chunks of its tensors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin import _core
from acltwin.dask._arguments import core_arguments
from acltwin.dask._worker import settle
from acltwin.ops import PLANEWISE, OpSpec
from acltwin.ops.spec import Argument

Place = tuple[slice, ...]
"""Where a chunk lies in the whole array."""


def resized(spec: OpSpec, size: int, factor: int) -> int:
    """The size of a chunk's result along a cut axis."""
    return size // factor if spec.is_gradient else size * factor


def run(
    *blocks: Any,
    operator: str,
    parameters: Mapping[str, Any],
    spatial: slice,
    plane: tuple[int, ...],
    factors: tuple[int, ...],
) -> Any:
    """The call on one chunk of each tensor that is read, with the sizes that are the chunk's own.

    ``plane`` is that of the whole result. ``factors`` are those of the axes along which volumes are cut, 0 elsewhere.
    Behind the chunks comes the first one's place, if a tensor holds indices.
    """
    settle()
    spec = PLANEWISE[operator]
    chunks = [block for block in blocks if isinstance(block, np.ndarray)]
    own = _own_arguments(spec, chunks, parameters, spatial, plane, factors)
    arguments = core_arguments(spec, {**parameters, **own})
    if len(chunks) == len(blocks):
        return _core.run_inferred(operator, *arguments)
    with positions_of_the_whole(blocks[-1]):
        return _core.run_inferred(operator, *arguments)


def _own_arguments(
    spec: OpSpec,
    chunks: list[NDArray[Any]],
    parameters: Mapping[str, Any],
    spatial: slice,
    plane: tuple[int, ...],
    factors: tuple[int, ...],
) -> dict[str, Any]:
    first, unused = chunks[0], iter(chunks)
    sizes = first.shape[spatial]
    own_plane = tuple(
        resized(spec, size, factor) if factor else whole
        for size, factor, whole in zip(sizes, factors, plane, strict=True)
    )
    own_shape = list(first.shape)
    own_shape[spatial] = own_plane
    channel = first.shape[1 if spatial.stop is None else -1]

    def own(argument: Argument) -> Any:
        if argument.holds == "shape":  # a stand-in without memory: the tensor itself is neither loaded nor sent
            return np.broadcast_to(np.zeros((), first.dtype), own_shape)
        if argument.kind == "tensor":
            return next(unused)
        if argument.begins_with_batch:
            return own_shape if spec.input_size_follows_format else (first.shape[0], channel, *own_plane)
        if argument.kind == "int_array" and any(factors):
            return sizes if spec.is_gradient else own_plane
        return parameters[argument.python_name]

    return {argument.python_name: own(argument) for argument in spec.parameters}


def item(results: tuple[Any, ...], index: int) -> Any:
    return results[index]


@contextmanager
def positions_of_the_whole(place: Place) -> Iterator[None]:
    """The array function counts a bad index's position in the chunk; users count in the whole array."""

    def shifted(position: re.Match[str]) -> str:
        places = zip(position[1].split(", "), place, strict=True)
        return f"indices[{', '.join(str(int(number) + along.start) for number, along in places)}]"

    try:
        yield
    except IndexError as error:
        raise IndexError(re.sub(r"indices\[([\d, ]+)\]", shifted, str(error), count=1)) from None
