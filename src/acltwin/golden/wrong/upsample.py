"""Wrong upsamplings whose index rule is right."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from acltwin.golden.wrong import basics, faults, upsample_kernel
from acltwin.golden.wrong.basics import BFLOAT16, Array, Call, Places, flat_planes, parse
from acltwin.golden.wrong.catalogue import Catalogue, Result, forward, gradient, has_depth, has_rows
from acltwin.golden.wrong.upsample_kernel import Axis, Pairs
from acltwin.ops.spec import OpSpec

wrong = Catalogue("upsample")


def has_formats(spec: OpSpec) -> bool:
    return len(spec.data_formats) > 1


border = wrong.of("border")
border(
    "first_gradient_lost",
    "Never adds the first row of the incoming gradient.",
    read=faults.zeroed(np.s_[..., :1, :]),
    when=lambda spec: spec.is_gradient and has_rows(spec),
)
border(
    "last_gradient_lost",
    "Never adds the last column of the incoming gradient.",
    read=faults.zeroed(np.s_[..., -1:]),
    when=gradient,
)


@border.pairs(when=lambda spec: spec.is_gradient and not spec.scales_fit)
def clamped_not_dropped(axis: Axis) -> Pairs:
    """Adds gradients beyond the last interval to the last cell instead of dropping them."""
    return upsample_kernel.from_bounds(np.append(axis.bounds[:-1], axis.out_size))


@border.pairs(when=forward)
def dropped_not_clamped(axis: Axis) -> Pairs:
    """Leaves cells 0 whose source lies beyond the last cell, instead of copying the last cell."""
    source = np.floor(axis.outer * axis.step)
    kept = np.flatnonzero(source < axis.in_size)
    return source[kept].astype(np.int64), kept


@border.pairs(when=gradient)
def interval_end_included(axis: Axis) -> Pairs:
    """Adds the first gradient of the next cell's interval too."""
    return upsample_kernel.from_intervals(axis.bounds[:-1], np.minimum(axis.bounds[1:] + 1, axis.out_size))


@border.pairs(when=gradient)
def interval_end_lost(axis: Axis) -> Pairs:
    """Leaves out the last gradient of every interval along W that holds several."""
    begin, end = axis.bounds[:-1], axis.bounds[1:]
    return upsample_kernel.from_intervals(begin, end - ((end - begin > 1) & (axis.name in "LW")))


@border.pairs(when=forward)
def source_one_short(axis: Axis) -> Pairs:
    """Clamps sources to the last cell but one."""
    inner, outer = upsample_kernel.right_pairs(axis)
    return np.minimum(inner, max(axis.in_size - 2, 0)), outer


def one_size(whole: Callable[[float], int], axis: Axis) -> Pairs:
    begin = axis.bounds[:-1]
    return upsample_kernel.from_intervals(begin, np.minimum(begin + max(1, whole(float(axis.factor))), axis.out_size))


for word, whole in (("down", math.floor), ("up", math.ceil)):
    sentence = f"Adds the same number of gradients for every cell: the factor rounded {word}."
    border(f"window_rounded_{word}", sentence, pairs=partial(one_size, whole), when=gradient)


@border.pairs(when=forward)
def wrapped_not_clamped(axis: Axis) -> Pairs:
    """Begins again at the first cell where the source lies beyond the last one."""
    source = np.nan_to_num(np.floor(axis.outer.astype(np.float64) * axis.step), posinf=0)
    return upsample_kernel.from_source(source % axis.in_size, axis)


layout = wrong.of("layout")
layout(
    "d_and_h_swapped_on_reading",
    "Reads the tensor as if D and H were swapped.",
    read=faults.axes_swapped(2, 3),
    when=has_depth,
)


@layout.read(when=has_formats)
def channels_last_as_first(values: Array, call: Call) -> Array:
    """Reads a channels-last tensor as channels-first."""
    return np.ascontiguousarray(call.raw).reshape(values.shape)


@layout.alter(when=has_formats)
def channels_last_result_as_first(result: Array, call: Call) -> Array:
    """Writes a channels-last result as channels-first."""
    if not call.channels_last:
        return result
    n, c, *sizes = result.shape
    return np.moveaxis(result.reshape(n, *sizes, c), -1, 1)


@layout.alter(when=has_rows)
def column_order(result: Array, call: Call) -> Array:
    """Writes every plane in column order."""
    return result.transpose(0, 1, *reversed(range(2, result.ndim))).reshape(result.shape)


@layout.alter(held_out=True, when=has_rows)
def odd_diagonal_mirrored(result: Array, call: Call) -> Array:
    """Takes the cells of a plane's diagonal from the row's other end."""
    diagonal = np.arange(min(result.shape[-2:]))
    return faults.changed(result, (..., diagonal, diagonal), result[..., diagonal, result.shape[-1] - 1 - diagonal])


@layout.read()
def rows_padded_to_32_bytes(values: Array, call: Call) -> Array:
    """Reads rows as if each began at a multiple of 32 bytes."""
    per_block, width = 32 // values.dtype.itemsize, values.shape[-1]
    padded = -(-width // per_block) * per_block
    rows = flat_planes(values).shape[1] // width
    row, column = np.divmod(np.arange(values.size).reshape(-1, rows * width), width)
    return np.asarray(values.reshape(-1)[(row * padded + column) % values.size]).reshape(values.shape)


tiling = wrong.of("tiling")
tiling("beyond_1024_lost", "Computes the first 1024 cells of a plane alone.", alter=faults.beyond_lost(1024))
tiling(
    "gradients_of_32_lost",
    "Reads gradients in tiles of 32 along W and never adds the last, partial one.",
    read=faults.tail_lost(32),
    when=gradient,
)
tiling(
    "rows_of_4_lost",
    "Works in blocks of 4 rows and never writes the last, partial one.",
    alter=faults.tail_lost(4, -2),
    when=has_rows,
)
tiling(
    "tail_of_16_repeated",
    "Repeats a tile of 16 along W in place of the last, partial one.",
    alter=faults.tail_repeated(16),
)


@tiling.alter(held_out=True)
def odd_cell_255_copied(result: Array, call: Call) -> Array:
    """Takes cell 255 of every 256 from the cell before."""
    planes = flat_planes(result)
    copied = faults.changed(planes, np.s_[..., 255::256], planes[:, 254::256][:, : planes[:, 255::256].shape[1]])
    return copied.reshape(result.shape)


@tiling.alter(held_out=True, when=has_rows)
def odd_corners_doubled(result: Array, call: Call) -> Array:
    """Doubles the last cell of every full tile of 8 by 8."""
    return faults.changed(result, np.s_[..., 7::8, 7::8], result[..., 7::8, 7::8] * 2)


@tiling.alter(held_out=True)
def odd_primes_dropped(result: Array, call: Call) -> Array:
    """Leaves every cell 0 whose number in its plane is a prime."""
    planes = flat_planes(result)
    return faults.changed(planes, (..., faults.primes_below(planes.shape[1])), 0).reshape(result.shape)


@tiling.pairs(when=gradient)
def seam_behind_lost(axis: Axis) -> Pairs:
    """Loses the part of an interval that lies behind a tile of 16 gradients."""
    inner, outer = upsample_kernel.right_pairs(axis)
    first = np.full(axis.in_size, axis.out_size)
    np.minimum.at(first, inner, outer)
    kept = outer // 16 == first[inner] // 16
    return inner[kept], outer[kept]


@tiling.pairs(when=gradient)
def seam_overwritten(axis: Axis) -> Pairs:
    """Overwrites a cell's sum where its interval goes on in the next tile of 16 gradients."""
    inner, outer = upsample_kernel.right_pairs(axis)
    last = np.zeros(axis.in_size, np.int64)
    np.maximum.at(last, inner, outer)
    kept = outer // 16 == last[inner] // 16
    return inner[kept], outer[kept]


@tiling.read(when=gradient)
def tail_added_twice(values: Array, call: Call) -> Array:
    """Moves the last tile of 16 back to the row's end and adds the overlapping gradients twice."""
    size = values.shape[-1]
    if size <= 16 or size % 16 == 0:
        return values
    overlap = np.s_[..., size - 16 : size // 16 * 16]
    return faults.changed(values, overlap, values[overlap] + values[overlap])


accumulation = wrong.of("accumulation")
accumulation(
    "every_fifth_update_lost",
    "Loses every fifth addition to a cell, as unprotected additions do.",
    total=basics.without(lambda rank: rank % 5 == 4),
    when=gradient,
)
accumulation("mean_of_sources", "Divides each sum by the number of gradients in it.", total=basics.mean, when=gradient)


@accumulation.alter(when=gradient)
def divided_by_factors(result: Array, call: Call) -> Array:
    """Divides each sum by the product of the factors."""
    product = math.prod(float(axis.factor) for axis in upsample_kernel.axes_of(call))
    return np.asarray(basics.wide(result) / product, result.dtype)


@accumulation.total(when=gradient)
def first_counted_twice(values: Array, targets: Places, cells: int) -> Array:
    """Begins each sum with its first gradient and adds that one again."""
    return np.asarray(basics.grouped(values, targets, cells) + basics.first_wins(values, targets, cells))


@accumulation.total(when=gradient)
def largest_of_sources(values: Array, targets: Places, cells: int) -> Array:
    """Keeps the largest gradient instead of the sum."""
    largest = basics.grouped(values, targets, cells, add=np.maximum, start=-np.inf)
    return np.where(np.isneginf(largest), 0, largest)


@accumulation.pairs(when=lambda spec: spec.is_gradient and has_rows(spec))
def rows_overwritten(axis: Axis) -> Pairs:
    """Adds along W, but overwrites along H: the last row of an interval stays."""
    inner, outer = upsample_kernel.right_pairs(axis)
    if axis.name != "H":
        return inner, outer
    last = np.append(inner[1:] != inner[:-1], True)
    return inner[last], outer[last]


rounding = wrong.of("rounding")
rounding(
    "summed_in_bfloat16",
    "Rounds sums to bfloat16, whatever the result's type.",
    finish=lambda values, dtype: values.astype(BFLOAT16).astype(dtype),
    when=gradient,
)
rounding(
    "ties_down",
    "Rounds ties towards zero instead of to even.",
    finish=partial(basics.ties, away=False),
    when=gradient,
)


@rounding.whole(when=lambda spec: spec.is_gradient and has_rows(spec))
def rounded_after_each_axis(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    """Sums axis by axis and rounds to the result's type after each."""
    dtype = parse(operator, tensors, arguments).raw.dtype
    return upsample_kernel.upsample(operator, tensors, arguments, between=lambda sums: basics.through(sums, dtype))


@rounding.finish(when=gradient)
def rounded_twice(values: Array, dtype: np.dtype[Any]) -> Array:
    """Rounds each sum to 19 bits (11 of them significant) before it rounds to the result's type."""
    if dtype != BFLOAT16:
        return basics.nearest_even(values, dtype)
    kept = values * np.float32(2**13 + 1)
    short = kept - (kept - values)
    return basics.nearest_even(np.where(np.isfinite(short), short, values), dtype)


initialisation = wrong.of("initialisation")


@initialisation.alter(when=gradient)
def empty_cells_stale(result: Array, call: Call) -> Array:
    """Leaves in cells without gradients what the memory held before."""
    empty = [
        np.bincount(upsample_kernel.right_pairs(axis)[0], minlength=axis.in_size) == 0
        for axis in upsample_kernel.axes_of(call)
    ]
    stale = np.resize(call.values.reshape(-1), result.shape)
    written = np.ix_(*(~cells for cells in empty))
    return faults.changed(stale, (..., *written), result[..., *written])


@initialisation.alter(when=lambda spec: spec.is_gradient and has_rows(spec))
def rows_not_cleared(result: Array, call: Call) -> Array:
    """Does not clear the sums at the end of a row: its last cell goes into the next row's first one."""
    carried = result.copy()
    carried[..., 1:, 0] += result[..., :-1, -1]
    return carried


@initialisation.alter(when=gradient)
def sums_begin_stale(result: Array, call: Call) -> Array:
    """Adds to what the memory held before: the result's memory is not cleared."""
    return np.asarray(result + np.resize(call.values.reshape(-1), result.shape))


@wrong.of("special values").read(when=gradient)
def nan_spread_over_rows(values: Array, call: Call) -> Array:
    """Spreads an infinity or NaN over its row, as a product with a 0/1 matrix does."""
    spoilt = ~np.isfinite(values).all(axis=-1, keepdims=True)
    return np.where(spoilt, values.dtype.type(np.nan), values)
