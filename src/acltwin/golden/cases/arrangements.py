"""Other ways to arrange a mask than the documented one: what kernels write and read by mistake."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import Array
from acltwin.golden.cases.masks import WORD

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
