"""Which cells and windows a piece of a volume that is cut needs, along one axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np


@dataclass(frozen=True)
class Piece:
    """A part of the result along one axis, and what it is computed from. Both are counted in the whole array."""

    read: slice
    made: slice


@dataclass(frozen=True)
class WindowAxis:
    """The windows along one axis of ``cells`` cells."""

    cells: int
    windows: int
    kernel: int
    stride: int
    padding: int
    dilation: int

    @property
    def span(self) -> int:
        """From the first cell of a window to its last."""
        return (self.kernel - 1) * self.dilation + 1

    def fitting(self, cells: int, ceil_mode: bool) -> int:
        """How many windows there are on so many cells."""
        count = (cells + 2 * self.padding - self.span + (self.stride - 1 if ceil_mode else 0)) // self.stride + 1
        return count - 1 if ceil_mode and (count - 1) * self.stride >= cells + self.padding else count

    def start(self, window: int) -> int:
        return window * self.stride - self.padding

    def pooled(self, chunks: Sequence[int]) -> list[Piece]:
        """Pieces of windows from cells in these chunks.

        A piece is read from a multiple of the stride on, so that pooling it with the call's padding finds the same
        windows, behind some that are of no use.
        """
        borders = [-(-border // self.stride) for border in np.cumsum([0, *chunks])]
        between = self._between(borders, self.windows)
        return [Piece(self.cells_of(first, end), slice(first, end)) for first, end in between]

    def cells_of(self, first: int, end: int, made: slice | None = None) -> slice:
        """Cells on which windows with the call's padding are these and some more, of which padding before them spoils
        those before the first; and all of ``made``."""
        unseen = -(-self.padding // self.stride)
        end_cell = min(self.cells, self.start(end - 1) + self.span)
        if made is not None:
            first, end_cell = min(first, made.start // self.stride + unseen), max(end_cell, made.stop)
        whole = max(0, min(first - unseen, (end_cell - self.span) // self.stride))
        return slice(whole * self.stride, max(end_cell, whole * self.stride + 1))  # not even if all windows are padding

    def scattered(self, chunks: Sequence[int]) -> list[Piece]:
        """Pieces of cells from windows in these chunks: all windows that reach one of the cells."""
        borders = [border * self.stride for border in np.cumsum([0, *chunks])]
        pieces = []
        for first, end in self._between(borders, self.cells):
            first_window = max(0, -(-(first + self.padding - self.span + 1) // self.stride))
            end_window = min(self.windows, (end - 1 + self.padding) // self.stride + 1)
            if first_window >= end_window:  # cells between windows: any window will do, it does not reach them
                first_window, end_window = min(first_window, self.windows - 1), min(first_window, self.windows - 1) + 1
            pieces.append(Piece(slice(first_window, end_window), slice(first, end)))
        return pieces

    def reach(self, piece: Piece) -> slice:
        """The cells of a scattered piece and of the windows that it reads."""
        first, end = self.start(piece.read.start), self.start(piece.read.stop - 1) + self.span
        return slice(max(0, min(piece.made.start, first)), min(self.cells, max(piece.made.stop, end)))

    @staticmethod
    def _between(borders: Sequence[int], end: int) -> list[tuple[int, int]]:
        kept = sorted({0, end, *(int(border) for border in borders if border < end)})
        return list(pairwise(kept))


def length(along: slice) -> int:
    return int(along.stop - along.start)


def replaced(shape: Sequence[int], spatial: slice, sizes: Sequence[int]) -> tuple[int, ...]:
    """The shape with other sizes along the spatial axes."""
    changed = list(shape)
    changed[spatial] = sizes
    return tuple(changed)
