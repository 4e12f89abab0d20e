"""What a failing case looks like: values as colours, wrong cells, errors by size, and the map of sources."""

from __future__ import annotations

import base64
import struct
import zlib
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import Array, float64
from acltwin.golden.judge.verdict import ulps

Pixels = NDArray[np.uint8]
"""Rows, columns, red-green-blue."""
SIDE = 96  # pixels of a slice; larger ones are thinned out
SLICES = 12  # of a volume, around the worst one
MAP_SIDE = 256

RED, BLUE, WHITE = np.array([178, 24, 43]), np.array([33, 102, 172]), np.array([250, 250, 250])
NAN, INFINITE = np.array([200, 0, 200]), np.array([20, 20, 20])
SAME, EXTRA, LOST = np.array([90, 110, 130]), np.array([203, 36, 49]), np.array([236, 151, 31])


@dataclass(frozen=True)
class Slice:
    """One H x W picture; ``mark`` is the worst cell as (left, top, width, height) in percent."""

    url: str
    label: str
    mark: tuple[float, float, float, float] | None


@dataclass(frozen=True)
class Panel:
    title: str
    slices: tuple[Slice, ...]
    shown: int  # which slice is seen first


def panels(expected: Array, found: Array, wrong: NDArray[np.bool_], index: tuple[int, ...], axes: int) -> list[Panel]:
    """Expected, found and difference along the plane of the worst cell; its first spatial axis is the slider's."""
    want, have, bad = (np.asarray(values)[_plane(index, axes, wrong.ndim)] for values in (expected, found, wrong))
    cell = index[len(index) - axes :]
    if axes == 2:
        want, have, bad, cell = want[None], have[None], bad[None], (0, *cell)
    depth, at = want.shape[0], cell[0]
    first = max(0, min(at - SLICES // 2, depth - SLICES))
    chosen = range(first, min(first + SLICES, depth))
    want, have = float64(want), float64(have)
    finite = np.abs(want[np.isfinite(want)])
    scale = float(finite.max(initial=0.0)) or 1.0
    drawings = {
        "expected": _values(want, scale),
        "found": _values(have, scale),
        "found \u2212 expected": _difference(want, have, bad),
    }
    label = "D = {}" if axes == 3 else ""
    made = []
    for title, pixels in drawings.items():
        slices = tuple(
            Slice(data_url(_thinned(pixels[d])), label.format(d), _mark(cell[1:], want.shape[1:]) if d == at else None)
            for d in chosen
        )
        made.append(Panel(title, slices, at - first))
    return made


def _plane(index: tuple[int, ...], axes: int, rank: int) -> tuple[int | slice, ...]:
    """The plane of a channels-first tensor that the cell lies in."""
    return (*index[: rank - axes], *(slice(None),) * axes)


def _values(values: NDArray[np.float64], scale: float) -> Pixels:
    """Blue is negative, red positive, white zero."""
    with np.errstate(invalid="ignore"):
        share = np.clip(np.where(np.isfinite(values), values, 0.0) / scale, -1, 1)
    strength = np.sqrt(np.abs(share))[..., None]  # so that small values are seen
    pixels = WHITE + (np.where(share[..., None] < 0, BLUE, RED) - WHITE) * strength
    return _special(pixels, values)


def _difference(want: NDArray[np.float64], have: NDArray[np.float64], bad: NDArray[np.bool_]) -> Pixels:
    """Grey where the cell is right; where it is wrong, blue too small, red too large."""
    with np.errstate(invalid="ignore"):
        error = np.where(bad, have - want, 0.0)
    finite = np.abs(error[np.isfinite(error)])
    pixels = _values(error, float(finite.max(initial=0.0)) or 1.0).astype(np.float64)
    pixels[~bad] = (225, 228, 232)
    return _special(pixels, np.where(bad & ~np.isfinite(have), have, 0.0))


def _special(pixels: NDArray[np.float64], values: NDArray[np.float64]) -> Pixels:
    pixels[np.isnan(values)] = NAN
    pixels[np.isinf(values)] = INFINITE
    return pixels.round().astype(np.uint8)


def _thinned(pixels: Pixels, side: int = SIDE) -> Pixels:
    step = max(1, -(-max(pixels.shape[:2]) // side))
    return pixels[::step, ::step]


def _mark(cell: tuple[int, ...], size: tuple[int, ...]) -> tuple[float, float, float, float]:
    (row, column), (height, width) = cell, size
    wide, high = max(100 / width, 4.0), max(100 / height, 4.0)  # a mark that can be seen
    return min(100 * column / width, 100 - wide), min(100 * row / height, 100 - high), wide, high


# ---- errors by size ----

Bars = list[tuple[str, int]]
"""How many wrong cells there are of each size."""

ULP_BINS = (0.5, 1, 2, 4, 16, 256, 65536)
BOUND_BINS = (1, 2, 4, 16, 256, 65536)


def error_bars(
    found: Array, expected: Array, bound: NDArray[np.float64], wrong: NDArray[np.bool_]
) -> tuple[Bars, Bars]:
    """By units in the last place, and by E, the most that the order of the sums can explain."""
    y, best, allowed = float64(found)[wrong], float64(expected)[wrong], bound[wrong]
    finite = np.isfinite(y) & np.isfinite(best)
    rest = ("NaN or infinite", int((~finite).sum()))
    sized = finite & (best != 0)
    by_ulp = _bars(ulps(y[sized], best[sized], found.dtype), ULP_BINS)
    zero = ("expected 0", int((finite & ~sized).sum()))
    some = finite & (allowed > 0)
    by_bound = _bars(np.abs(y[some] - best[some]) / allowed[some], BOUND_BINS)
    none = ("E is 0: only one value is right", int((finite & ~some).sum()))
    return [*by_ulp, zero, rest], [*by_bound, none, rest]


def _bars(sizes: NDArray[np.float64], bins: tuple[float, ...]) -> Bars:
    rows = []
    for low, high in pairwise((0.0, *bins, np.inf)):
        name = f"up to {high:g}" if np.isfinite(high) else f"more than {low:g}"
        rows.append((name, int(((sizes > low) & (sizes <= high)).sum())))
    return rows


# ---- the map of sources ----


@dataclass(frozen=True)
class Map:
    """Which source reaches which cell: rows are sources, columns cells."""

    url: str
    sources: int
    cells: int
    lost: int
    extra: int


def source_map(documented: Array, observed: Array) -> Map:
    """``documented`` and ``observed`` are impulse answers: plane o is the image of source o."""
    want, have = (float64(values).reshape(-1, int(np.prod(values.shape[2:]))) for values in (documented, observed))
    sources = min(len(want), want.shape[0])
    want, have = want[:sources], np.nan_to_num(have[:sources])
    is_lost, is_extra = (want != 0) & (have == 0), (want == 0) & (have != 0)
    both = (want != 0) & (have != 0)
    ranks = np.select([is_lost, is_extra, both & (want != have), both], [4, 3, 2, 1], 0)  # the worst is drawn
    colours = np.array([WHITE, SAME, BLUE, EXTRA, LOST], np.uint8)
    url = data_url(colours[_worst_of_blocks(ranks, MAP_SIDE)])
    return Map(url, *want.shape, int(is_lost.sum()), int(is_extra.sum()))


def _worst_of_blocks(ranks: NDArray[np.int64], side: int) -> NDArray[np.int64]:
    """At most ``side`` rows and columns, each the largest of its block, so that no wrong source is lost in it."""
    step = max(1, -(-max(ranks.shape) // side))
    rows, columns = (-(-size // step) * step for size in ranks.shape)
    padded = np.zeros((rows, columns), ranks.dtype)
    padded[: ranks.shape[0], : ranks.shape[1]] = ranks
    blocks = padded.reshape(rows // step, step, columns // step, step)
    return np.asarray(blocks.max(axis=(1, 3)), np.int64)


# ---- PNG, as data URLs: as much of the format as a report needs ----


def data_url(pixels: Pixels) -> str:
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # each row begins with its filter: none
    rows[:, 1:] = pixels.reshape(height, 3 * width)
    parts = [
        _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        _chunk(b"IDAT", zlib.compress(rows.tobytes(), 9)),
        _chunk(b"IEND", b""),
    ]
    png = b"\x89PNG\r\n\x1a\n" + b"".join(parts)
    return "data:image/png;base64," + base64.b64encode(png).decode()


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
