"""Gradients that say where they went: every cell of an axis has a bit of its own, so a sum is the set of its cells."""

from __future__ import annotations

import numpy as np

from support.values import Array

LONGEST = 160
BITS_PER_CHANNEL = 24  # what a float32 holds exactly
CHANNELS = -(-LONGEST // BITS_PER_CHANNEL)


def coded_cells(count: int) -> Array:
    """(CHANNELS, count): cell o is the bit o % 24 of channel o // 24."""
    cells = np.arange(count)
    codes = np.zeros((CHANNELS, count), np.float32)
    codes[cells // BITS_PER_CHANNEL, cells] = np.exp2(cells % BITS_PER_CHANNEL)
    return codes


def collected(codes: Array, begin: Array) -> Array:
    """(CHANNELS, cells): the codes of the intervals [begin[i], begin[i + 1])."""
    before = np.concatenate([np.zeros((CHANNELS, 1)), np.cumsum(codes, 1, np.float64)], 1)[:, begin]
    return np.diff(before).astype(np.float32)
