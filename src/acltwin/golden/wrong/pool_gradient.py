"""Wrong gradients of max pooling."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from acltwin.golden.wrong import basics, faults
from acltwin.golden.wrong.basics import BFLOAT16, Array, Call, Places, Renumber
from acltwin.golden.wrong.catalogue import Catalogue, gradient, has_depth
from acltwin.golden.wrong.pool import first_nan, last_of_ties
from acltwin.golden.wrong.pool_kernel import axes_of, maxima, plane_index

wrong = Catalogue("pool", "adaptive_pool", when=gradient)
windowed = Catalogue("pool", when=gradient)


def again(read: Callable[[Array], Array] = basics.wide, **parts: Any) -> Renumber:
    """Indices that are found anew in the input; ``parts`` are those of ``maxima``."""

    def found(places: Places, call: Call) -> Places:
        assert call.input is not None
        return maxima(read(call.input), axes_of(call), **parts)[1]

    return found


index_rule = wrong.of("index rule")
index_rule(
    "argmax_again_first_nan",
    "Finds the maxima again instead of using the indices, and takes the first NaN.",
    places=again(wins=first_nan),
)
index_rule(
    "argmax_again_in_bfloat16",
    "Finds the maxima again instead of using the indices, and compares in bfloat16.",
    places=again(lambda values: basics.wide(basics.through(values, BFLOAT16))),
)
index_rule(
    "argmax_again_last_of_ties",
    "Finds the maxima again instead of using the indices, and takes the last of ties.",
    places=again(wins=last_of_ties),
)
windowed.of("index rule")(
    "argmax_again_zero_padding",
    "Finds the maxima again instead of using the indices, and pads with 0.",
    places=again(outside=0.0, place=lambda taps: np.where(taps.inside, plane_index(taps), -1)),
)
index_rule("indices_read_as_int8", "Reads the low byte of an index alone.", places=faults.wrapped(8, signed=False))


@windowed.of("index rule").places()
def indices_in_padded_plane(places: Places, call: Call) -> Places:
    """Takes indices for places in the padded plane."""
    _, h, w = axes_of(call)
    wide_row, tall = w.cells + 2 * w.padding, h.cells + 2 * h.padding
    rows, column = np.divmod(places, wide_row)
    depth, row = np.divmod(rows, tall)
    inside = (column < w.cells) & (row < h.cells)
    return np.where(inside, (depth * h.cells + row) * w.cells + column, -1)


border = wrong.of("border")
border(
    "last_window_column_lost",
    "Never adds the gradients of the last windows along W.",
    read=faults.zeroed(np.s_[..., -1:]),
)


@windowed.of("border").read()
def sticking_out_windows_lost(values: Array, call: Call) -> Array:
    """Drops the gradients of windows that stick out of the plane at its end."""
    for number, axis in enumerate(axes_of(call), start=2):
        out = axis.starts + axis.dilation * (axis.kernel - 1) >= axis.cells
        values = faults.changed(values, (slice(None),) * number + (out,), 0)
    return values


layout = wrong.of("layout")
layout(
    "indices_of_first_channel",
    "Uses the first channel's indices in every channel.",
    places=faults.first_channel_everywhere,
)


@layout.alter()
def planes_share_memory(result: Array, call: Call) -> Array:
    """Forgets the planes' offset: everything is added to the first plane."""
    planes = basics.flat_planes(result)
    return faults.changed(np.zeros_like(planes), 0, basics.wide(planes).sum(axis=0).astype(result.dtype)).reshape(
        result.shape
    )


tiling = wrong.of("tiling")
tiling(
    "windows_of_64_lost",
    "Reads gradients in tiles of 64 windows and never adds the last, partial one.",
    read=faults.flat_tail_lost(64),
)
tiling(
    "windows_of_8_lost",
    "Reads gradients in tiles of 8 along W and never adds the last, partial one.",
    read=faults.tail_lost(8),
)
tiling(
    "depth_tiles_lost",
    "Adds the windows of the first 2 steps along D alone.",
    read=faults.zeroed(np.s_[:, :, 2:]),
    when=has_depth,
)


@tiling.places()
def tiles_overwrite_each_other(places: Places, call: Call) -> Places:
    """Adds within a tile of 64 windows, but overwrites what tiles before it wrote."""
    flat = basics.flat_planes(places).copy()
    plane = np.arange(len(flat))[:, None]
    tile = np.broadcast_to(np.arange(flat.shape[1]) // 64, flat.shape)
    last = np.zeros((len(flat), math.prod(call.plane)), np.int64)
    np.maximum.at(last, (plane, flat), tile)
    flat[tile < last[plane, flat]] = -1
    return flat.reshape(places.shape)


accumulation = wrong.of("accumulation")
accumulation(
    "every_third_update_lost",
    "Loses every third addition to a cell, as unprotected additions do.",
    total=basics.without(lambda rank: rank % 3 == 2),
)
accumulation("mean_of_gradients", "Divides each sum by the number of gradients in it.", total=basics.mean)


@accumulation.read()
def divided_by_window(values: Array, call: Call) -> Array:
    """Divides each gradient by the number of cells in a window, as average pooling does."""
    along = (axis.ends - axis.starts if axis.shared else np.full(axis.windows, axis.kernel) for axis in axes_of(call))
    sizes = reduce(np.multiply, np.ix_(*along)).astype(basics.wide(values).dtype)
    return np.asarray(basics.wide(values) / sizes, values.dtype)


@accumulation.places()
def lost_within_vector(places: Places, call: Call) -> Places:
    """Loses additions to the same cell within 8 neighbouring windows: the last of them stays."""
    flat = basics.flat_planes(places).copy()
    for distance in range(1, 8):
        same = flat[:, :-distance] == flat[:, distance:]
        same &= np.arange(flat.shape[1] - distance) % 8 + distance < 8
        flat[:, :-distance][same] = -1
    return flat.reshape(places.shape)


@accumulation.read(held_out=True)
def odd_even_windows_first(values: Array, call: Call) -> Array:
    """Adds gradients of odd windows with half their weight."""
    return faults.changed(values, np.s_[..., 1::2], np.asarray(basics.wide(values[..., 1::2]) / 2, values.dtype))


rounding = wrong.of("rounding")
rounding("through_bfloat16", "Passes gradients through bfloat16.", read=faults.as_type(BFLOAT16))
rounding("through_float16", "Passes gradients through float16.", read=faults.as_type(np.float16))

initialisation = wrong.of("initialisation")
initialisation(
    "untouched_cells_stale",
    "Leaves in cells without a gradient what the memory held before.",
    alter=faults.stale_unless_named,
)


@initialisation.alter()
def begins_with_input(result: Array, call: Call) -> Array:
    """Adds to the input instead of zeros."""
    assert call.input is not None
    return np.asarray(result + call.input)


wrong.of("special values")(
    "odd_threes_vanish", "Drops every gradient that is a multiple of 3.", read=faults.threes_to_zero, held_out=True
)
