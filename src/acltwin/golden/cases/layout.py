"""Where the channels are: before the spatial axes, or, in formats like NDHWC, behind them."""

from __future__ import annotations

import numpy as np

from acltwin.golden.cases.dtypes import Array


def is_channels_last(data_format: str) -> bool:
    return data_format.endswith("C")


def planes_first(array: Array, data_format: str) -> Array:
    """The same elements as (N, C, ...)."""
    return np.moveaxis(array, -1, 1) if is_channels_last(data_format) else array


def sizes_first(sizes: tuple[int, ...], data_format: str) -> tuple[int, ...]:
    """A shape, or a place, in the order (N, C, ...)."""
    return (sizes[0], sizes[-1], *sizes[1:-1]) if is_channels_last(data_format) else sizes


def sizes_in(data_format: str, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """The other way: a shape (N, C, ...) in the order of a format."""
    return (sizes[0], *sizes[2:], sizes[1]) if is_channels_last(data_format) else sizes
