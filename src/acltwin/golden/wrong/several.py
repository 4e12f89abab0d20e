"""Faults that kernels of several families have."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from acltwin.golden.cases.family import FAMILIES, adds, takes_indices
from acltwin.golden.wrong import basics, faults
from acltwin.golden.wrong.basics import BFLOAT16, Array, Call, Places, flat_planes, parse
from acltwin.golden.wrong.catalogue import KERNELS, Catalogue, Result, gradient, has_depth, has_exact_sums, has_rows

WEIGHTED = tuple(name for name, family in FAMILIES.items() if family.weights)

# ---- of every family ----
any_family = Catalogue("upsample", "pool", "plain_pool", "adaptive_pool", "unpool", *WEIGHTED)

layout = any_family.of("layout")
layout("first_batch_alone", "Reads the first batch for every batch.", read=faults.first_batch_everywhere)
layout("h_and_w_swapped", "Writes the result with H and W swapped.", alter=faults.axes_swapped(-1, -2), when=has_rows)
layout("n_and_c_swapped", "Writes plane (n, c) where plane (c, n) belongs.", alter=faults.batch_swapped)


@layout.alter(held_out=True)
def odd_planes_swapped(result: Array, call: Call) -> Array:
    """Swaps the second and the fourth channel if C is even and above 4."""
    channels = result.shape[1]
    if channels <= 4 or channels % 2:
        return result
    return faults.changed(result, np.s_[:, [1, 3]], result[:, [3, 1]])


tiling = any_family.of("tiling")
tiling(
    "elements_left_over",
    "Splits the result over 20 cores and loses the elements that are left over.",
    alter=faults.cells_lost(20),
)
tiling(
    "flat_tail_of_256_lost",
    "Works in tiles of 256 cells of a plane and never writes the last, partial one.",
    alter=faults.flat_tail_lost(256),
)
tiling(
    "planes_left_over",
    "Splits the planes over 4 cores and loses those that are left over.",
    alter=faults.planes_lost(4),
)
for tile in (16, 64):
    tiling(
        f"tail_of_{tile}_lost",
        f"Works in tiles of {tile} along W and never writes the last, partial one, unless it is the only one.",
        alter=faults.tail_lost(tile),
    )
for tile in (8, 32):
    tiling(
        f"tail_of_{tile}_lost",
        f"Works in full tiles of {tile} along W and never writes what is left over, in short rows everything.",
        alter=faults.tail_lost(tile, short_rows=False),
    )

special_values = any_family.of("special values")
special_values("denormals_flushed", "Flushes denormal numbers to 0.", read=faults.denormals_to_zero)
special_values("inf_to_largest", "Replaces infinities by the largest finite number.", read=faults.inf_to_largest)
special_values("nan_swallowed", "Treats NaN as 0.", read=faults.nan_to_zero)
special_values("inf_to_nan", "Turns infinities into NaN.", read=faults.inf_to_nan)

# ---- of gradients that are sums ----
sums = Catalogue("upsample", "pool", "adaptive_pool", when=gradient)

accumulation = sums.of("accumulation")
accumulation("first_kept", "Keeps the first gradient of each cell and ignores the others.", total=basics.first_wins)
accumulation(
    "overwritten",
    "Overwrites a cell with each gradient instead of adding it: the last one stays.",
    total=basics.last_wins,
)
accumulation(
    "second_update_lost", "Loses the second addition to each cell.", total=basics.without(lambda rank: rank == 1)
)


@accumulation.whole()
def accumulated_in_16_bits(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    """Rounds every partial sum to the 16 bits of the result."""
    call = parse(operator, tensors, arguments)
    return KERNELS[call.spec.family](operator, tensors, arguments, total=basics.rounded_total(call.raw.dtype))


all_sums = Catalogue("upsample", "pool", "adaptive_pool", *WEIGHTED, when=adds)
all_sums.of("accumulation")("absolute_values", "Adds absolute values.", read=lambda values, call: np.abs(values))
rounding = all_sums.of("rounding")
rounding("rounded_up", "Rounds every inexact sum away from zero.", finish=basics.away_from_zero)
rounding("truncated", "Cuts a sum off to 16 bits instead of rounding to nearest.", finish=basics.toward_zero)
rounding(
    "ties_away",
    "Rounds ties away from zero instead of to even.",
    finish=partial(basics.ties, away=True),
    when=has_exact_sums,
)


@rounding.finish()
def stochastic(values: Array, dtype: np.dtype[Any]) -> Array:
    """Rounds at random, with odds by the distance."""
    low, high = basics.toward_zero(values, dtype), basics.away_from_zero(values, dtype)
    draws = np.random.default_rng(values.size).random(values.shape)
    return np.where(draws < basics.between(low, high, values), high, low)


initialisation = all_sums.of("initialisation")


@initialisation.alter()
def first_cell_cleared_alone(result: Array, call: Call) -> Array:
    """Clears the first cell of the result alone: every other one begins with 1."""
    stale = np.ones(result.size, result.dtype)
    stale[:1] = 0
    return np.asarray(result + stale.reshape(result.shape))


@initialisation.alter()
def planes_not_cleared(result: Array, call: Call) -> Array:
    """Clears the sums before the first plane alone: each plane goes on with the sums of the one before."""
    sums = np.cumsum(basics.wide(flat_planes(result)), axis=0, dtype=basics.wide(result).dtype)
    return sums.astype(result.dtype).reshape(result.shape)


@sums.of("special values").finish()
def saturated(values: Array, dtype: np.dtype[Any]) -> Array:
    """Stops at the largest finite number where a sum overflows."""
    result = values.astype(dtype)
    overflown = np.isinf(result) & np.isfinite(values)
    return np.where(overflown, basics.toward_zero(values, dtype), result)


# ---- of two families each ----
@Catalogue("upsample", "pool", "plain_pool", "adaptive_pool").of("accumulation").alter(held_out=True, when=has_rows)
def odd_seventh_row_negated(result: Array, call: Call) -> Array:
    """Negates every seventh row of the result."""
    return faults.changed(result, np.s_[..., 6::7, :], -result[..., 6::7, :])


Catalogue("upsample", "unpool").of("rounding")(
    "odd_thirteenth_bit_flipped",
    "Flips the lowest bit of every thirteenth element.",
    alter=faults.bit_flipped(1),
    held_out=True,
)
no_maxima = Catalogue("upsample", "unpool", *WEIGHTED)
rounding = no_maxima.of("rounding")
rounding("through_bfloat16", "Passes values through bfloat16.", read=faults.as_type(BFLOAT16))
rounding("through_float16", "Passes values through float16.", read=faults.as_type(np.float16))


@no_maxima.of("layout").alter(held_out=True)
def odd_channels_reversed(result: Array, call: Call) -> Array:
    """Mirrors the odd channels along W."""
    return faults.changed(result, np.s_[:, 1::2], result[:, 1::2, ..., ::-1])


# ---- of resampling and averages ----
resampled = Catalogue("upsample", *WEIGHTED)

border = resampled.of("border")
border(
    "first_slice_lost", "Never computes the first cell along D.", alter=faults.zeroed(np.s_[:, :, :1]), when=has_depth
)
border("last_column_lost", "Never computes the last column of the result.", alter=faults.zeroed(np.s_[..., -1:]))
border("last_row_lost", "Never computes the last row.", alter=faults.zeroed(np.s_[..., -1:, :]), when=has_rows)
layout = resampled.of("layout")
layout("first_channel_alone", "Reads the first channel for every channel.", read=faults.first_channel_everywhere)
layout("h_and_w_swapped_on_reading", "Reads H and W swapped.", read=faults.axes_swapped(-1, -2), when=has_rows)
resampled.of("special values")(
    "odd_threes_vanish", "Drops every multiple of 3.", read=faults.threes_to_zero, held_out=True
)

# ---- of pooling and unpooling ----
pooling = Catalogue("pool", "plain_pool", "adaptive_pool", "unpool")
pooling.of("layout")("first_plane_alone", "Reads the first plane for every plane.", read=faults.first_plane_everywhere)
pooling.of("tiling")(
    "tail_of_8_repeated",
    "Repeats a tile of 8 along W in place of the last, partial one.",
    alter=faults.tail_repeated(8),
)

indexed = Catalogue("pool", "adaptive_pool", "unpool", when=takes_indices)
index_rule = indexed.of("index rule")
index_rule("indices_from_one", "Takes indices for counted from 1.", places=lambda places, call: places - 1)
for name, dtype, last in faults.SHORT_FLOATS:
    sentence = f"Keeps indices in {name}, which has no odd numbers beyond {last}."
    index_rule(f"indices_kept_in_{name}", sentence, places=faults.kept_as(dtype))
index_rule("indices_read_as_int16", "Reads indices as int16 and loses those beyond 32767.", places=faults.wrapped(16))
border = indexed.of("border")
border("cell_zero_lost", "Takes index 0 for no index.", places=lambda places, call: np.where(places == 0, -1, places))
border(
    "last_cell_lost",
    "Refuses the plane's last cell: the bound is one too small.",
    places=lambda places, call: np.where(places == math.prod(call.plane) - 1, -1, places),
)
indexed.of("tiling")(
    "odd_primes_dropped", "Drops elements whose index is a prime.", places=faults.primes_dropped, held_out=True
)
layout = indexed.of("layout")
layout("indices_of_first_plane", "Uses the first plane's indices in every plane.", places=faults.first_plane_everywhere)


@layout.places()
def indices_h_and_w_swapped(places: Places, call: Call) -> Places:
    """Takes indices apart with H and W swapped."""
    d, h, w = call.plane
    return faults.renumbered(places, (d, h, w), (d, w, h), (0, 2, 1))
