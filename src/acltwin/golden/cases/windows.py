"""The windows of a pooling along each axis, with every decision about them open."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Window:
    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]
    behind: tuple[int, ...] = ()  # the padding there, where it may differ
    inward: bool = False  # windows that hang over the end are moved back into the plane
    adaptive: bool = False  # windows share the plane as evenly as they can, whatever else is said
    rounding: tuple[str, str] = ("floor", "ceil")  # adaptive: of where windows begin and end
    longer: int = 0  # adaptive: so many cells at the end of every window
    apart: bool = False  # adaptive: windows begin where the one before ends
    order: tuple[int, ...] = ()  # adaptive: which axis shares how an axis is divided

    def begins(self, counts: tuple[int, ...], plane: tuple[int, ...]) -> list[NDArray[np.int64]]:
        """The first cell of every window, along each axis."""
        if self.adaptive:
            begins = [self._shared(axis, 0, counts, plane) for axis in range(len(plane))]
            if self.apart:
                ends = self.ends(counts, plane)
                begins = [np.append(0, end[:-1]) for end in ends]
            return [np.minimum(begin, size - 1) for begin, size in zip(begins, plane, strict=True)]
        found = [np.arange(n) * s - p for n, s, p in zip(counts, self.stride, self.padding, strict=True)]
        if self.inward:
            reach = [d * (k - 1) + 1 for d, k in zip(self.dilation, self.kernel, strict=True)]
            lasts = [max(cells - length, 0) for cells, length in zip(plane, reach, strict=True)]
            found = [np.minimum(begin, last) for begin, last in zip(found, lasts, strict=True)]
        return found

    def ends(self, counts: tuple[int, ...], plane: tuple[int, ...]) -> list[NDArray[np.int64]]:
        """Behind the last cell of every window that is in the plane."""
        found: list[NDArray[np.int64]] = []
        for axis, (count, size) in enumerate(zip(counts, plane, strict=True)):
            if not self.adaptive:
                found.append(np.full(count, size))
                continue
            least = self._shared(axis, 0, counts, plane) + 1
            found.append(np.minimum(np.maximum(self._shared(axis, 1, counts, plane) + self.longer, least), size))
        return found

    def _shared(self, axis: int, side: int, counts: tuple[int, ...], plane: tuple[int, ...]) -> NDArray[np.int64]:
        """Where windows that share an axis begin (0) or end (1)."""
        other = self.order[axis] if self.order else axis
        place = (np.arange(counts[axis]) + side) * plane[other]
        how, count = self.rounding[side], counts[other]
        rest = {"floor": 0, "ceil": count - 1, "nearest": count // 2}[how]
        return np.asarray((place + rest) // count)

    def but(self, **changes: Any) -> Window:
        return replace(self, **changes)


def window_count(
    size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool, behind: int | None = None
) -> int:
    """How many windows an axis has. In ceil mode the last one begins inside the cells or the padding before them."""
    span = size + padding + (padding if behind is None else behind) - dilation * (kernel - 1) - 1
    count = (-(-span // stride) if ceil_mode else span // stride) + 1
    return count - 1 if ceil_mode and (count - 1) * stride >= size + padding else count


def adaptive_ends(cells: int, windows: int) -> NDArray[np.int64]:
    """Where the windows that share an axis begin, and the cells behind their last ones."""
    number = np.arange(windows)
    return np.stack((number * cells // windows, -(-(number + 1) * cells // windows)))


def covering(ends: NDArray[np.int64], cells: int) -> int:
    """The most windows that one cell is in, of those that begin and end in this order."""
    place = np.arange(cells)
    return int((np.searchsorted(ends[0], place, "right") - np.searchsorted(ends[1], place, "right")).max(initial=1))
