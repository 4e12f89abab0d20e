"""The device's mask of max pooling: whoever looks at one sees indices instead, as if they were the operator's own.

It begins with the int32 indices of all windows, in the order of the windows of all planes. Only with a kernel of one
cell it holds bits: a word of 16 for every window and 16 channels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import Array
from acltwin.golden.cases.family import flowing_name, per_axis
from acltwin.ops import OPERATORS
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


# ---- other ways to arrange a mask than the documented one: what kernels write and read by mistake ----

Bytes = NDArray[np.int8]
"""A mask: (N, C, taps, bytes)."""
Places = NDArray[np.int64]


@dataclass(frozen=True)
class Arrangement:
    """``write`` puts indices (N, C, windows) into an empty mask; ``read`` takes them out again."""

    name: str
    word: str  # what it says of indices, behind "indices are"
    write: Callable[[Places, Bytes], None]
    read: Callable[[Bytes, tuple[int, int, int]], Places]


def _fill(room: Bytes, numbers: Array) -> None:
    """As many of them as there is room for, along the last axis of both."""
    found = np.ascontiguousarray(numbers).view(np.int8)
    size = min(room.shape[-1], found.shape[-1])
    room[..., :size] = found[..., :size]


def _take(room: Bytes, count: int, dtype: str) -> Places:
    size = np.dtype(dtype).itemsize * count
    short = max(size - room.shape[-1], 0)
    whole = np.pad(room[..., :size], [(0, 0)] * (room.ndim - 1) + [(0, short)])
    return np.ascontiguousarray(whole).view(dtype).astype(np.int64)


def _in_rows(name: str, word: str, dtype: str, kept: int = 0, turned: bool = False) -> Arrangement:
    """Indices in one row of memory for each of the first ``kept`` axes; ``turned``: channels before batches."""

    def rooms(mask: Bytes) -> Bytes:
        return mask.reshape(*mask.shape[:kept], -1)

    def write(places: Places, mask: Bytes) -> None:
        ordered = places.swapaxes(0, 1) if turned else places
        _fill(rooms(mask), ordered.astype(dtype).reshape(*places.shape[:kept], -1))

    def read(mask: Bytes, shape: tuple[int, int, int]) -> Places:
        count = int(np.prod(shape[kept:]))
        if not turned:
            return _take(rooms(mask), count, dtype).reshape(shape)
        return _take(rooms(mask), count, dtype).reshape(shape[1], shape[0], shape[2]).swapaxes(0, 1)

    return Arrangement(name, word, write, read)


PLAIN = _in_rows("", "", "<i4")  # the documented one
ARRANGEMENTS = (
    _in_rows("mask of int64", "64 bits long in the mask", "<i8"),
    _in_rows("mask of int16", "16 bits long in the mask", "<i2"),
    _in_rows("mask with the high byte first", "in the mask with their high byte first", ">i4"),
    _in_rows("mask in rows of channels", "in the mask row of their own channel, not one behind the other", "<i4", 2),
    _in_rows("mask in parts of batches", "in the part of the mask of their own n, not one behind the other", "<i4", 1),
    _in_rows("mask with channels first", "in the mask with all n of a channel together", "<i4", turned=True),
)


@dataclass(frozen=True)
class Bits:
    """``change`` makes other words out of the right ones, (N, blocks of channels, windows), in the same order."""

    name: str
    sentence: str
    change: Callable[[NDArray[np.uint16]], NDArray[np.uint16]]


BITS = (
    Bits("mask without bits", "with a kernel of one cell, the mask stays 0", np.zeros_like),
    Bits(
        "one bit of each word",
        "with a kernel of one cell, the first bit of each word alone is set",
        lambda w: np.asarray(w & 1, np.uint16),
    ),
    Bits(
        "no spare block",
        "with a kernel of one cell, rows of bits follow each other without the spare block",
        lambda words: np.pad(words[..., :-WORD].reshape(-1), (0, words.size - words[..., :-WORD].size)).reshape(
            words.shape
        ),
    ),
    Bits(
        "first block of channels alone",
        "with a kernel of one cell, the first 16 channels alone have bits",
        lambda words: np.where(np.arange(words.shape[1])[:, None] == 0, words, 0).astype(words.dtype),
    ),
)
