"""Wrong max unpooling, and its gradient."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from acltwin.golden.cases.family import along
from acltwin.golden.wrong import basics, faults
from acltwin.golden.wrong.basics import Array, Call, Places
from acltwin.golden.wrong.catalogue import Catalogue, forward, gradient, has_depth

wrong = Catalogue("unpool")
DUPLICATES = "Which of several elements at one place stays is not specified on the device, so no case repeats an index."


def steps_of(call: Call) -> tuple[int, ...]:
    """The stride of the pooling; where an operator is not told, the usual one of 2."""
    return call.lifted(along(call.arguments.get("stride") or 2, len(call.spec.axes)), 1)


index_rule = wrong.of("index rule")
index_rule(
    "indices_modulo_1024",
    "Counts indices from the beginning of a tile of 1024 cells.",
    places=lambda places, call: places % 1024,
)
index_rule("indices_one_too_large", "Adds 1 to every index.", places=lambda places, call: places + 1)
index_rule("indices_read_as_int8", "Reads indices as int8 and loses those beyond 127.", places=faults.wrapped(8))
index_rule("indices_read_as_uint8", "Reads the low byte of an index alone.", places=faults.wrapped(8, signed=False))
index_rule(
    "depth_ignored",
    "Takes indices for places in the first H*W plane.",
    places=lambda places, call: places % math.prod(call.plane[1:]),
    when=has_depth,
)


@index_rule.places()
def column_alone(places: Places, call: Call) -> Places:
    """Uses the column of an index alone, in the row where the element itself is."""
    row = np.arange(places[0, 0].size).reshape(places.shape[2:]) // places.shape[-1]
    return np.asarray(row * call.plane[-1] + places % call.plane[-1])


@index_rule.places()
def indices_of_other_plane(places: Places, call: Call) -> Places:
    """Takes indices for places in the smaller plane's rows."""
    rows, column = np.divmod(places, places.shape[-1])
    return np.asarray(rows * call.plane[-1] + column)


@index_rule.places()
def indices_of_pooled_plane(places: Places, call: Call) -> Places:
    """Takes indices for places in the pooled plane times the stride instead of in outputSize."""
    seen = tuple(step * n for step, n in zip(steps_of(call), places.shape[2:], strict=True))
    return faults.renumbered(places, call.plane, seen, (0, 1, 2))


@index_rule.places(held_out=True)
def odd_indices_exored(places: Places, call: Call) -> Places:
    """Exchanges even and odd places in the second half of a plane."""
    cells = math.prod(call.plane)
    return np.where((places >= cells // 2) & (places ^ 1 < cells), places ^ 1, places)


@index_rule.places()
def places_by_stride(places: Places, call: Call) -> Places:
    """Ignores the indices and takes every window's first cell."""
    d, h, w = np.ix_(*(np.arange(n) * step for n, step in zip(places.shape[2:], steps_of(call), strict=True)))
    size = call.plane
    inside = (d < size[0]) & (h < size[1]) & (w < size[2])
    return np.broadcast_to(np.where(inside, (d * size[1] + h) * size[2] + w, -1), places.shape)


border = wrong.of("border")
border(
    "bounded_by_pooled_plane",
    "Drops indices beyond the number of cells of self.",
    places=lambda places, call: np.where(places < places[0, 0].size, places, -1),
)
border(
    "clamped_one_short",
    "Clamps indices to the last cell but one.",
    places=lambda places, call: np.minimum(places, max(math.prod(call.plane) - 2, 0)),
)
border(
    "clamped_to_pooled_plane",
    "Clamps indices to the number of cells of self.",
    places=lambda places, call: np.minimum(places, places[0, 0].size - 1),
)
border("last_column_lost", "Leaves the result's last column 0.", alter=faults.zeroed(np.s_[..., -1:]))


@border.places()
def last_element_lost(places: Places, call: Call) -> Places:
    """Never handles the last element of a plane."""
    return faults.changed(basics.flat_planes(places), np.s_[..., -1:], -1).reshape(places.shape)


@border.places()
def last_row_of_plane_lost(places: Places, call: Call) -> Places:
    """Refuses places in the last row of the plane."""
    depth, height, width = call.plane
    return np.where(places >= (depth * height - 1) * width, -1, places)


def in_column_order(values: Array, call: Call) -> Array:
    return values.transpose(0, 1, 4, 3, 2).reshape(values.shape)


layout = wrong.of("layout")
layout("d_and_h_swapped", "Writes the result with D and H swapped.", alter=faults.axes_swapped(-2, -3), when=has_depth)
layout("indices_of_first_batch", "Uses the first batch's indices in every batch.", places=faults.first_batch_everywhere)
layout(
    "elements_in_column_order",
    "Reads the elements in column order, but their indices in row order.",
    read=in_column_order,
    when=forward,
)
layout(
    "gradients_in_column_order", "Reads the planes of gradients in column order.", read=in_column_order, when=gradient
)


@layout.places()
def indices_in_column_order(places: Places, call: Call) -> Places:
    """Takes indices for counted in column order."""
    return np.asarray(np.ravel_multi_index(np.unravel_index(places, call.plane, order="F"), call.plane))


@layout.places()
def int64_read_as_int32(places: Places, call: Call) -> Places:
    """Reads int64 indices as twice as many int32 ones: low and high halves in turn."""
    flat = basics.flat_planes(places)
    halves = np.stack([flat & 0xFFFFFFFF, flat >> 32], axis=-1).reshape(len(flat), -1)
    return halves[:, : flat.shape[1]].reshape(places.shape)


@layout.alter(when=forward)
def planes_without_offset(result: Array, call: Call) -> Array:
    """Forgets the planes' offset: every plane is written to the first one."""
    planes = basics.flat_planes(result)
    last = np.zeros(planes.shape[1], result.dtype)
    for plane in planes:
        last = np.where(plane != 0, plane, last)
    return faults.changed(np.zeros_like(planes), 0, last).reshape(result.shape)


tiling = wrong.of("tiling")
tiling(
    "places_beyond_tile_lost",
    "Keeps 2048 cells of a plane at hand and loses places beyond them.",
    places=lambda places, call: np.where(places < 2048, places, -1),
)


@tiling.places()
def beyond_256_lost(places: Places, call: Call) -> Places:
    """Handles the first 256 elements of a plane alone."""
    return faults.changed(basics.flat_planes(places), np.s_[..., 256:], -1).reshape(places.shape)


@tiling.places()
def elements_of_64_lost(places: Places, call: Call) -> Places:
    """Takes elements in tiles of 64 and never handles the last, partial one."""
    flat = basics.flat_planes(places)
    full = flat.shape[1] if flat.shape[1] <= 64 else flat.shape[1] // 64 * 64
    return faults.changed(flat, np.s_[..., full:], -1).reshape(places.shape)


@tiling.places(held_out=True)
def odd_neighbours_exchanged(places: Places, call: Call) -> Places:
    """Exchanges every ninth element with the one before it."""
    flat = basics.flat_planes(places).copy()
    late = np.arange(8, flat.shape[1], 9)
    flat[:, late], flat[:, late - 1] = flat[:, late - 1], flat[:, late].copy()
    return flat.reshape(places.shape)


accumulation = wrong.of("accumulation")
accumulation("absolute_values", "Loses signs: absolute values are written.", read=lambda values, call: np.abs(values))
accumulation(
    "added", "Adds up several elements at one place.", total=basics.running_sum, when=forward, tolerated=DUPLICATES
)
accumulation(
    "first_wins",
    "Keeps the first of several elements at one place instead of the last.",
    total=basics.first_wins,
    when=forward,
    tolerated=DUPLICATES,
)


def how_often(places: Places, call: Call) -> Places:
    """How many elements name each element's place."""
    numbers = basics.everywhere(basics.flat_planes(places), math.prod(call.plane))
    _, number, count = np.unique(numbers, return_inverse=True, return_counts=True)
    return np.asarray(count[number].reshape(places.shape))


@accumulation.places(when=forward, tolerated=DUPLICATES)
def duplicates_lost(places: Places, call: Call) -> Places:
    """Loses the element of every place that several elements name."""
    return np.where(how_often(places, call) > 1, -1, places)


@accumulation.alter(when=gradient)
def shared_gradients(result: Array, call: Call) -> Array:
    """Divides each gradient by the number of elements that name its place."""
    assert call.indices is not None
    return np.asarray(basics.wide(result) / how_often(call.indices, call), result.dtype)


@accumulation.places(when=gradient)
def fetched_once(places: Places, call: Call) -> Places:
    """Fetches each gradient once: other elements that name the same place get 0."""
    _, first = np.unique(basics.everywhere(basics.flat_planes(places), math.prod(call.plane)), return_index=True)
    once = np.full(places.size, -1)
    once[first] = places.reshape(-1)[first]
    return once.reshape(places.shape)


@accumulation.total(when=forward, tolerated=DUPLICATES)
def largest_wins(values: Array, targets: Places, cells: int) -> Array:
    """Keeps the largest of several elements at one place."""
    largest = basics.last_wins(values, targets, cells)
    for pairs in basics.rounds(targets):
        cell = targets[pairs]
        largest[cell] = np.maximum(largest[cell], values[pairs])
    return largest


@accumulation.alter(held_out=True)
def odd_seventh_row_negated(result: Array, call: Call) -> Array:
    """Negates every seventh row of the result."""
    rows = result.reshape(-1, result.shape[-1])
    return faults.changed(rows, np.s_[6::7], -rows[6::7]).reshape(result.shape)


initialisation = wrong.of("initialisation")
initialisation(
    "cells_not_cleared",
    "Leaves in cells that no index names what the memory held before.",
    alter=faults.stale_unless_named,
    when=forward,
)


@initialisation.alter()
def first_element_stale(result: Array, call: Call) -> Array:
    """Never writes the first element of the result, which holds 1."""
    return faults.changed(result.reshape(-1), np.s_[:1], 1).reshape(result.shape)


@initialisation.alter(when=forward)
def first_plane_cleared_alone(result: Array, call: Call) -> Array:
    """Clears the first plane alone: cells that no index names keep the plane before."""
    planes = basics.flat_planes(result).copy()
    for before, plane in pairwise(planes):
        plane[:] = np.where(plane == 0, before, plane)
    return planes.reshape(result.shape)


@initialisation.alter(when=forward)
def pooled_cells_cleared_alone(result: Array, call: Call) -> Array:
    """Clears as many cells as self has: cells behind them begin with 1."""
    written = faults.named(result, call)
    written[:, : math.prod(call.values.shape[2:])] = True
    return faults.changed(basics.flat_planes(result), ~written, 1).reshape(result.shape)


special_values = wrong.of("special values")
special_values("inf_lost", "Treats infinities as 0.", read=faults.inf_to_zero)
special_values("nan_spread_over_rows", "Spreads a NaN over its row.", read=faults.nan_over_rows)
special_values(
    "odd_hundred_wraps",
    "Takes values beyond 100 for 100.",
    read=lambda values, call: np.minimum(values, values.dtype.type(100)),
    held_out=True,
)
