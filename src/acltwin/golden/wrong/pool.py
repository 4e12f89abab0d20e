"""Wrong max pooling, and what can be wrong in it and in its gradient alike."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from acltwin.golden.cases.masks import has_mask
from acltwin.golden.wrong import faults
from acltwin.golden.wrong.basics import BFLOAT16, Array, Call, Places, through, wide
from acltwin.golden.wrong.catalogue import Catalogue, Result, forward
from acltwin.golden.wrong.faults import SHORT_FLOATS
from acltwin.golden.wrong.pool_kernel import Axis, Mask, Taps, axes_of, maxima, plane_index, pool

TIES = "Among equal maxima, and among NaNs, every index counts as right."

BOTH = ("pool", "adaptive_pool")
VALUES = ("plain_pool", *BOTH)
both = Catalogue(*VALUES)
both.of("tiling")("beyond_512_lost", "Computes the first 512 cells of a plane alone.", alter=faults.beyond_lost(512))


@both.of("layout").alter(held_out=True)
def odd_half_plane_mirrored(result: Array, call: Call) -> Array:
    """Mirrors the lower half of every plane along W."""
    middle = (result.shape[-2] + 1) // 2
    return faults.changed(result, np.s_[..., middle:, :], result[..., middle:, ::-1])


@both.of("tiling").alter(held_out=True)
def odd_corners_doubled(result: Array, call: Call) -> Array:
    """Doubles the last cell of every full tile of 4 by 4."""
    return faults.changed(result, np.s_[..., 3::4, 3::4], result[..., 3::4, 3::4] * 2)


wrong, found = Catalogue(*VALUES, when=forward), Catalogue(*BOTH, when=forward)
windowed = Catalogue("plain_pool", "pool", when=forward)

index_rule, windows = wrong.of("index rule"), windowed.of("index rule")
Catalogue("pool", when=forward).of("index rule")(
    "dilation_ignored",
    "Takes neighbouring cells, whatever the dilation.",
    geometry=lambda axis: replace(axis, dilation=1),
    when=lambda spec: not has_mask(spec),  # nothing is dilated there
)
windows(
    "stride_is_kernel",
    "Moves the window by its own size, whatever the stride.",
    geometry=lambda axis: replace(axis, stride=axis.kernel),
)
windows("stride_one", "Moves windows by one cell, whatever the stride.", geometry=lambda axis: replace(axis, stride=1))
index_rule("index_from_one", "Counts indices from 1.", index=lambda places, call: places + 1)
for name, dtype, last in SHORT_FLOATS:
    sentence = f"Keeps indices in {name}, which has no odd numbers beyond {last}."
    index_rule(f"index_kept_in_{name}", sentence, index=faults.kept_as(dtype))
index_rule("index_kept_in_int16", "Keeps indices in int16.", index=faults.wrapped(16))
index_rule("index_kept_in_int8", "Keeps indices in int8.", index=faults.wrapped(8))
index_rule("index_kept_in_uint8", "Keeps indices in uint8.", index=faults.wrapped(8, signed=False))
index_rule(
    "ties_by_columns",
    "Looks at a window column by column, so that ties go to the smallest w instead of the smallest d.",
    order=lambda tap: tap[::-1],
    tolerated=TIES,
)


@index_rule.index()
def argmax_in_bfloat16(places: Places, call: Call) -> Places:
    """Finds the index in bfloat16, though the maximum is right."""
    return maxima(wide(through(call.values, BFLOAT16)), axes_of(call))[1]


@index_rule.index()
def index_counts_planes(places: Places, call: Call) -> Places:
    """Counts indices through all planes instead of each one on its own."""
    planes = np.arange(math.prod(call.batch)).reshape(*call.batch, 1, 1, 1)
    return np.asarray(places + planes * math.prod(call.plane))


@windows.place()
def index_in_padded_plane(taps: Taps) -> Places:
    """Counts indices in the padded plane."""
    d, h, w = taps.axes
    rows = (taps.d + d.padding) * (h.cells + 2 * h.padding) + taps.h + h.padding
    return np.asarray(rows * (w.cells + 2 * w.padding) + taps.w + w.padding)


@index_rule.place()
def index_in_window(taps: Taps) -> Places:
    """Counts indices inside the window."""
    _, h, w = (axis.kernel for axis in taps.axes)
    return np.full((1, 1, 1), (taps.tap[0] * h + taps.tap[1]) * w + taps.tap[2])


@index_rule.place()
def index_of_window_start(taps: Taps) -> Places:
    """Gives the window's first cell as the index."""
    coordinates = zip((taps.d, taps.h, taps.w), taps.tap, taps.axes, strict=True)
    d, h, w = (np.maximum(cells - tap * axis.dilation, 0) for cells, tap, axis in coordinates)
    return plane_index(Taps(d, h, w, taps.tap, taps.axes))


@index_rule.wins()
def largest_magnitude(value: Array, best: Array, unset: Mask) -> Mask:
    """Compares absolute values."""
    return np.asarray((np.abs(value) > np.abs(best)) | np.isnan(value) | unset)


@index_rule.wins(tolerated=TIES)
def last_of_ties(value: Array, best: Array, unset: Mask) -> Mask:
    """Takes the last of equal maxima instead of the first."""
    return np.asarray((value >= best) | np.isnan(value) | unset)


@index_rule.index(held_out=True)
def odd_indices_of_odd_windows(places: Places, call: Call) -> Places:
    """Adds 1 to every eleventh index."""
    flat = places.reshape(-1)
    return faults.changed(flat, np.s_[10::11], flat[10::11] + 1).reshape(places.shape)


border, edges = wrong.of("border"), windowed.of("border")
edges(
    "extra_tap", "Takes one cell too many along each axis.", geometry=lambda axis: replace(axis, kernel=axis.kernel + 1)
)
edges(
    "last_tap_lost",
    "Leaves out the last cell of every window along each axis.",
    geometry=lambda axis: replace(axis, kernel=max(axis.kernel - 1, 1)),
)
edges(
    "padding_doubled",
    "Moves windows by the padding of both sides.",
    geometry=lambda axis: replace(axis, padding=2 * axis.padding),
)
edges(
    "padding_ignored",
    "Begins the first window at the first cell, whatever the padding.",
    geometry=lambda axis: replace(axis, padding=0),
)
border("last_window_lost", "Leaves the last window along W at 0.", alter=faults.zeroed(np.s_[..., -1:]))
edges(
    "padding_counts_as_zero",
    "Pads with 0 instead of leaving padding out.",
    outside=0.0,
    place=lambda taps: np.clip(plane_index(taps), 0, math.prod(axis.cells for axis in taps.axes) - 1),
)


@Catalogue("pool", when=forward).of("border").alter()
def ceil_windows_lost(result: Array, call: Call) -> Array:
    """Computes as many windows as without ceil mode and leaves the others 0."""
    for number, axis in enumerate(axes_of(call), start=2):
        span = axis.cells + 2 * axis.padding - axis.dilation * (axis.kernel - 1) - 1
        result = faults.changed(result, (slice(None),) * number + (slice(span // axis.stride + 1, None),), 0)
    return result


@edges.geometry()
def first_tap_lost(axis: Axis) -> Axis:
    """Leaves out the first cell of every window along each axis."""
    if axis.kernel == 1:
        return axis
    return replace(axis, kernel=axis.kernel - 1, padding=axis.padding - axis.dilation)


@border.read()
def last_cell_never_read(values: Array, call: Call) -> Array:
    """Never reads the last column of a plane."""
    return faults.changed(values, np.s_[..., -1:], -np.inf) if values.shape[-1] > 1 else values


class Inward(Axis):
    @property
    def starts(self) -> Places:
        last = max(self.cells - self.dilation * (self.kernel - 1) - 1, 0)
        return np.clip(super().starts, None, last)


edges(
    "partial_windows_moved_back",
    "Moves windows that stick out at the end back into the plane.",
    geometry=lambda axis: Inward(**vars(axis)),
)

layout, order = wrong.of("layout"), windowed.of("layout")


@layout.place()
def index_h_and_w_swapped(taps: Taps) -> Places:
    """Counts indices with H and W swapped."""
    _, h, w = (axis.cells for axis in taps.axes)
    return np.asarray((taps.d * w + taps.w) * h + taps.h)


@layout.place()
def index_in_column_order(taps: Taps) -> Places:
    """Counts indices in column order."""
    d, h, _ = (axis.cells for axis in taps.axes)
    return np.asarray((taps.w * h + taps.h) * d + taps.d)


def swapped(field: str, axes: list[Axis]) -> list[Axis]:
    d, h, w = axes
    return [d, replace(h, **{field: getattr(w, field)}), replace(w, **{field: getattr(h, field)})]


for field in ("kernel", "stride", "padding"):
    order(f"{field}_h_and_w_swapped", f"Swaps the {field} along H and W.", together=partial(swapped, field))
wrong.of("tiling")(
    "index_from_tile",
    "Counts indices from the beginning of a tile of 256 cells.",
    index=lambda places, call: places % 256,
)


@found.of("accumulation").whole()
def middle_of_window(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    """Gives the middle between each window's smallest and largest value."""
    best, indices = pool(operator, tensors, arguments)
    low, _ = pool(operator, tensors, arguments, wins=lambda value, best, unset: (value < best) | unset)
    return (wide(best) / 2 + wide(low) / 2).astype(best.dtype), indices


rounding = wrong.of("rounding")
rounding("compared_in_bfloat16", "Compares in bfloat16: close values are ties.", read=faults.as_type(BFLOAT16))
rounding("compared_in_float16", "Compares in float16: close values are ties.", read=faults.as_type(np.float16))

initialisation = wrong.of("initialisation")
initialisation("begins_with_minus_1000", "Begins each maximum with -1000.", start=-1000.0)
initialisation(
    "begins_with_smallest_normal",
    "Begins each maximum with the smallest positive number instead of the lowest one.",
    start=2.0**-126,
)
initialisation("begins_with_zero", "Begins each maximum with 0, so that windows of negative values give 0.", start=0.0)


@initialisation.alter()
def maximum_not_cleared(result: Array, call: Call) -> Array:
    """Does not begin anew with each row of windows: the row before still counts."""
    return np.maximum(result, np.roll(result, 1, axis=-2)) if result.shape[-2] > 1 else result


special_values = wrong.of("special values")
special_values(
    "nan_loses_again",
    "Forgets a NaN as soon as a number follows it.",
    wins=lambda value, best, unset: ~(value <= best) | unset,
)
special_values("nan_spread_over_rows", "Spreads a NaN over all windows of its row of cells.", read=faults.nan_over_rows)
special_values(
    "negative_infinity_without_index",
    "Gives index 0 where a window holds nothing but -inf.",
    start=-np.inf,
    wins=lambda value, best, unset: (value > best) | np.isnan(value),
)


@special_values.wins(tolerated=TIES)
def first_nan(value: Array, best: Array, unset: Mask) -> Mask:
    """Gives the first NaN's index instead of the last one's."""
    return np.asarray((value > best) | (np.isnan(value) & ~np.isnan(best)) | unset)


@special_values.wins()
def nan_never_wins(value: Array, best: Array, unset: Mask) -> Mask:
    """Never takes a NaN for the maximum."""
    return np.asarray((value > best) | np.isnan(best) | (unset & ~np.isnan(value)))


@special_values.index()
def nan_without_index(places: Places, call: Call) -> Places:
    """Gives index 0 where the maximum is NaN."""
    best, _ = maxima(wide(call.values), axes_of(call))
    return np.where(np.isnan(best), 0, places)


@special_values.wins(held_out=True)
def odd_bits_compared(value: Array, best: Array, unset: Mask) -> Mask:
    """Compares bit patterns as whole numbers, which turns the order of negative values round."""
    bits = np.int64 if value.dtype == np.float64 else np.int32
    return np.asarray((np.ascontiguousarray(value).view(bits) > np.ascontiguousarray(best).view(bits)) | unset)
