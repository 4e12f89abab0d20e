"""The device's mask of max pooling: whoever looks at one sees indices instead, as if they were the operator's own.

It begins with the int32 indices of all windows, in the order of the windows of all planes. Only with a kernel of one
cell it holds bits: a word of 16 for every window and 16 channels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import Array
from acltwin.golden.cases.family import flowing_name, per_axis
from acltwin.golden.cases.operators import OPERATORS
from acltwin.ops.spec import OpSpec

Shape = tuple[int, ...]
WORD = 16  # bits, and as many words in a block
NOWHERE = -1  # the index of a window whose bit is not set


def has_mask(spec: OpSpec) -> bool:
    return any(argument.holds == "mask" for argument in spec.arguments)


def without_mask(spec: OpSpec) -> OpSpec:
    """The operator with indices where this one has a mask; itself if it has none."""
    return OPERATORS[spec.name.replace("_with_mask", "_with_indices")] if has_mask(spec) else spec


def shape_of(spec: OpSpec, pooled: Shape, arguments: Mapping[str, Any]) -> Shape:
    """Of the mask beside a pooled tensor."""
    axes = len(spec.axes)
    taps = math.prod(per_axis(arguments, "kernel_size", axes, None, "the call"))
    return (*pooled[:-axes], taps, 2 * _row(math.prod(pooled[-axes:])))


def _row(windows: int) -> int:
    """The words of a plane: whole blocks, and one more."""
    return (-(-windows // WORD) + 1) * WORD


def given_indices(spec: OpSpec, tensors: Mapping[str, Array], arguments: Mapping[str, Any]) -> dict[str, Array]:
    """The tensors of a call, with indices for the mask; bits are not looked at, since there is one cell to choose."""
    if not (has_mask(spec) and spec.is_gradient):
        return dict(tensors)
    pooled = tensors[flowing_name(spec)].shape
    own = _own_cells(spec, pooled, tensors["input"].shape, arguments)
    return {**tensors, "indices": first_bytes(tensors["indices"], pooled) if own is None else own}


def found_indices(
    spec: OpSpec, tensors: Mapping[str, Array], arguments: Mapping[str, Any], outputs: list[Array]
) -> list[Array]:
    """The outputs of a call, with indices for the mask."""
    if spec.is_gradient:
        return outputs
    pooled = outputs[0].shape
    own = _own_cells(spec, pooled, tensors["input"].shape, arguments)
    if own is None:
        return [outputs[0], first_bytes(outputs[1], pooled)]
    return [outputs[0], np.where(_bits(outputs[1], len(spec.axes), pooled), own, NOWHERE)]


def mask_of(spec: OpSpec, indices: Array, plane: Shape, arguments: Mapping[str, Any]) -> NDArray[np.int8]:
    """The mask that says these indices; a bit is set if its window has the right one."""
    axes, pooled = len(spec.axes), indices.shape
    mask = np.zeros(shape_of(spec, pooled, arguments), np.int8)
    own = _own_cells(spec, pooled, plane, arguments)
    if own is None:
        mask.reshape(-1)[: 4 * indices.size] = np.ascontiguousarray(indices, "<i4").reshape(-1).view(np.int8)
        return mask
    windows, channels = math.prod(pooled[-axes:]), pooled[-axes - 1]
    whole = np.ones((math.prod(pooled[: -axes - 1]), -(-channels // WORD) * WORD, _row(windows) - WORD), np.uint16)
    whole[:, :channels, :windows] = (indices == own).reshape(-1, channels, windows)
    blocks = whole.reshape(len(whole), -1, WORD, whole.shape[-1]) << np.arange(WORD, dtype=np.uint16)[:, None]
    words_of(mask, axes, pooled)[..., :-WORD] = blocks.sum(2, dtype=np.uint16)
    return mask


def _own_cells(spec: OpSpec, pooled: Shape, plane: Shape, arguments: Mapping[str, Any]) -> NDArray[np.int32] | None:
    """Where windows of one cell are; None for larger ones."""
    axes = len(spec.axes)
    kernel = per_axis(arguments, "kernel_size", axes, None, "the call")
    if math.prod(kernel) > 1:
        return None
    stride = per_axis(arguments, "stride", axes, None, "the call") if arguments.get("stride") else kernel
    places = np.zeros((), np.int32)
    for count, step, size in zip(pooled[-axes:], stride, plane[-axes:], strict=True):
        places = places[..., None] * size + np.arange(count, dtype=np.int32) * step
    return np.broadcast_to(places, pooled)


def first_bytes(mask: Array, pooled: Shape) -> NDArray[np.int32]:
    flat = np.ascontiguousarray(mask).reshape(-1)
    return flat[: 4 * math.prod(pooled)].view("<i4").astype(np.int32).reshape(pooled)


def words_of(mask: Array, axes: int, pooled: Shape) -> NDArray[np.uint16]:
    """(N, blocks of channels, words) of a kernel of one cell; a view."""
    batch, blocks, row = math.prod(pooled[: -axes - 1]), -(-pooled[-axes - 1] // WORD), _row(math.prod(pooled[-axes:]))
    return mask.reshape(-1)[: 2 * batch * blocks * row].view("<u2").reshape(batch, blocks, row)


def _bits(mask: Array, axes: int, pooled: Shape) -> NDArray[np.bool_]:
    windows, channels = math.prod(pooled[-axes:]), pooled[-axes - 1]
    words = words_of(np.ascontiguousarray(mask), axes, pooled)[..., None, :windows]
    of_channels = words >> np.arange(WORD, dtype=np.uint16)[:, None]
    whole = of_channels.reshape(len(words), -1, windows)[:, :channels]
    return np.asarray((whole & 1).astype(bool).reshape(pooled))
