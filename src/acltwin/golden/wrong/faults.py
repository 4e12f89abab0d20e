"""Faults that any kernel can have: what is lost, moved or changed on the way in or out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from acltwin.golden.wrong import basics
from acltwin.golden.wrong.basics import BFLOAT16, TOP, Alter, Array, Call, Places, Read, Renumber


def changed(result: Array, where: Any, value: Any) -> Array:
    """The same array with other values at some places."""
    copy = result.copy()
    copy[where] = value
    return copy


def zeroed(where: Any) -> Alter:
    """Some places stay 0: ``zeroed(np.s_[..., -1:])``."""
    return lambda result, call: changed(result, where, 0)


def tail_lost(tile: int, axis: int = -1, short_rows: bool = True) -> Alter:
    """Along an axis, what no full tile covers stays 0; ``short_rows``: but shorter ones than a tile are computed."""

    def alter(result: Array, call: Call) -> Array:
        size = result.shape[axis]
        kept = size if size <= tile and short_rows else size // tile * tile
        return np.moveaxis(changed(np.moveaxis(result, axis, -1), (..., slice(kept, None)), 0), -1, axis)

    return alter


def flat_tail_lost(tile: int) -> Alter:
    """In every flattened plane larger than a tile, what no full tile covers stays 0."""

    def alter(result: Array, call: Call) -> Array:
        return tail_lost(tile)(basics.flat_planes(result), call).reshape(result.shape)

    return alter


def beyond_lost(cells: int) -> Alter:
    """In every flattened plane, the cells behind the first ones stay 0."""

    def alter(result: Array, call: Call) -> Array:
        return changed(basics.flat_planes(result), (..., slice(cells, None)), 0).reshape(result.shape)

    return alter


def planes_lost(cores: int) -> Alter:
    """Every core takes as many planes; those that are left over stay 0."""

    def alter(result: Array, call: Call) -> Array:
        planes = basics.flat_planes(result)
        kept = len(planes) if len(planes) <= cores else len(planes) // cores * cores
        return changed(planes, slice(kept, None), 0).reshape(result.shape)

    return alter


def cells_lost(cores: int) -> Alter:
    """Every core takes as many elements of the whole result; those that are left over stay 0."""

    def alter(result: Array, call: Call) -> Array:
        return changed(result.reshape(-1), slice(result.size // cores * cores, None), 0).reshape(result.shape)

    return alter


def tail_repeated(tile: int) -> Alter:
    """The last, partial tile of a row holds what the tile before it holds."""

    def alter(result: Array, call: Call) -> Array:
        size = result.shape[-1]
        full = size // tile * tile
        if full in (0, size):
            return result
        return changed(result, (..., slice(full, None)), result[..., full - tile : full - tile + size - full])

    return alter


def axes_swapped(first: int, second: int) -> Alter:
    """Written as if two axes had each other's place."""

    def alter(result: Array, call: Call) -> Array:
        return result.swapaxes(first, second).reshape(result.shape)

    return alter


def batch_swapped(result: Array, call: Call) -> Array:
    """Plane (n, c) is written where (c, n) belongs."""
    return axes_swapped(0, 1)(result, call)


def first_plane_everywhere(values: Array, call: Call) -> Array:
    return np.broadcast_to(values[:1, :1], values.shape)


def first_channel_everywhere(values: Array, call: Call) -> Array:
    return np.broadcast_to(values[:, :1], values.shape)


def first_batch_everywhere(values: Array, call: Call) -> Array:
    return np.broadcast_to(values[:1], values.shape)


def only_floats(change: Callable[[Array], Array]) -> Read:
    """A change of floating-point values; integers stay as they are."""

    def read(values: Array, call: Call) -> Array:
        return change(values).astype(values.dtype) if basics.is_float(values) else values

    return read


def _replaced(test: Callable[[Array], NDArray[np.bool_]], value: float) -> Read:
    return only_floats(lambda values: np.where(test(values), values.dtype.type(value), values))


nan_to_zero = _replaced(np.isnan, 0.0)
inf_to_zero = _replaced(np.isinf, 0.0)
inf_to_nan = _replaced(np.isinf, np.nan)


def _clamped(values: Array) -> Array:
    top = TOP.get(values.dtype, np.finfo(np.float64).max)
    return np.where(np.isinf(values), np.copysign(values.dtype.type(top), values), values)


inf_to_largest = only_floats(_clamped)


def _flushed(values: Array) -> Array:
    smallest = 2.0**-14 if values.dtype == np.float16 else 2.0**-1022 if values.dtype == np.float64 else 2.0**-126
    tiny = np.abs(values.astype(np.float64)) < smallest
    return np.where(tiny, values.dtype.type(0), values)


denormals_to_zero = only_floats(_flushed)


def threes_to_zero(values: Array, call: Call) -> Array:
    return np.where(np.fmod(basics.wide(values), 3) == 0, values.dtype.type(0), values)


def nan_over_rows(values: Array, call: Call) -> Array:
    """A NaN spoils its whole row."""
    if not basics.is_float(values):
        return values
    return np.where(np.isnan(values).any(axis=-1, keepdims=True), values.dtype.type(np.nan), values)


def named(result: Array, call: Call) -> NDArray[np.bool_]:
    """Which cells of the planes (planes, cells) an index names."""
    assert call.indices is not None
    found = np.zeros(basics.flat_planes(result).shape, bool)
    np.put_along_axis(found, basics.flat_planes(call.indices), True, axis=1)
    return found


def stale_unless_named(result: Array, call: Call) -> Array:
    """Cells that no index names hold values of the tensor that was read."""
    return np.where(named(result, call).reshape(result.shape), result, np.resize(call.values.reshape(-1), result.shape))


def as_type(dtype: DTypeLike) -> Read:
    """The values pass through another floating-point type."""
    return lambda values, call: basics.through(values, dtype)


def wrapped(bits: int, signed: bool = True) -> Renumber:
    """Indices kept in an integer of so many bits."""
    half = 1 << bits - 1 if signed else 0
    return lambda places, call: (places + half) % (1 << bits) - half


SHORT_FLOATS = (("bfloat16", BFLOAT16, 256), ("float16", np.dtype(np.float16), 2048))
"""With the last number up to which they have all whole ones."""


def kept_as(dtype: DTypeLike) -> Renumber:
    """Indices kept in a floating-point type."""

    def places_of(places: Places, call: Call) -> Places:
        return np.nan_to_num(places.astype(dtype).astype(np.float64), posinf=-1).astype(np.int64)

    return places_of


def renumbered(places: Places, size: tuple[int, ...], seen: tuple[int, ...], order: tuple[int, ...]) -> Places:
    """Places of a plane ``size``, taken apart as if it were ``seen`` and put together with the axes in ``order``."""
    apart = np.unravel_index(np.clip(places, 0, None) % max(1, int(np.prod(seen))), seen)
    strides = [int(np.prod([size[k] for k in order[n + 1 :]], initial=1)) for n in range(3)]
    parts = [apart[axis] * stride for axis, stride in zip(order, strides, strict=True)]
    return np.asarray(sum(parts), dtype=np.int64)


def primes_dropped(places: Places, call: Call) -> Places:
    return np.where(np.isin(places, primes_below(int(places.max(initial=0)) + 1)), -1, places)


def primes_below(limit: int) -> Places:
    """All prime numbers below a limit."""
    sieve = np.arange(limit) > 1
    for number in range(2, int(limit**0.5) + 1):
        sieve[number * number :: number] = False
    return np.flatnonzero(sieve)


def bit_flipped(bit: int) -> Alter:
    """A bit of every thirteenth value is the other one: with 1, the lowest."""

    def alter(result: Array, call: Call) -> Array:
        bits = np.ascontiguousarray(result).reshape(-1).view(f"u{result.dtype.itemsize}").copy()
        bits[5::13] ^= bit
        return bits.view(result.dtype).reshape(result.shape)

    return alter
