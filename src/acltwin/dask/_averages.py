"""Gradients of averages over windows, of volumes that are cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin import _core
from acltwin.dask._arguments import core_arguments
from acltwin.dask._pieces import Piece, WindowAxis, length, replaced
from acltwin.ops import OpSpec


def spread(
    spec: OpSpec,
    gradient: NDArray[Any],
    parameters: Mapping[str, Any],
    spatial: slice,
    axes: Sequence[WindowAxis],
    own: Sequence[Piece],
) -> Any:
    """The gradients of all windows that reach the piece, spread over a part of the volume, of which the piece is kept.

    On the part there are more windows, some of them cut short by padding that is not there in the whole volume. Their
    gradients are 0.
    """
    along = list(zip(axes, own, strict=True))
    part = [axis.cells_of(piece.read.start, piece.read.stop, piece.made) for axis, piece in along]
    windows = [axis.fitting(length(cells), parameters["ceil_mode"]) for axis, cells in zip(axes, part, strict=True)]
    all_gradients = np.zeros(replaced(gradient.shape, spatial, windows), gradient.dtype)
    before = [cells.start // axis.stride for axis, cells in zip(axes, part, strict=True)]
    position: list[slice] = [slice(None)] * gradient.ndim
    position[spatial] = [
        slice(piece.read.start - skipped, piece.read.stop - skipped) for piece, skipped in zip(own, before, strict=True)
    ]
    all_gradients[tuple(position)] = gradient
    shape = replaced(gradient.shape, spatial, [length(cells) for cells in part])
    tensors = {"values": all_gradients, "shape": np.broadcast_to(np.zeros((), gradient.dtype), shape)}
    named = {argument.python_name: tensors[argument.holds] for argument in spec.inputs if argument.kind == "tensor"}
    result = _core.run_inferred(spec.name, *core_arguments(spec, {**parameters, **named}))
    position[spatial] = [
        slice(piece.made.start - cells.start, piece.made.stop - cells.start)
        for piece, cells in zip(own, part, strict=True)
    ]
    return result[tuple(position)]
