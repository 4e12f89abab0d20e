"""The axes with two of them exchanged: the mistake behind wrong strides, sizes and windows."""

from __future__ import annotations

from itertools import combinations

from acltwin.ops.spec import OpSpec


def exchanges(spec: OpSpec) -> list[tuple[str, tuple[int, ...]]]:
    """("H and W exchanged", the axes in that order); each order is its own inverse."""
    found = []
    for first, second in combinations(range(len(spec.axes)), 2):
        order = list(range(len(spec.axes)))
        order[first], order[second] = second, first
        found.append((f"{spec.axes[first]} and {spec.axes[second]} exchanged", tuple(order)))
    return found
