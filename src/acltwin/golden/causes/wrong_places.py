"""Where wrong cells lie, in words: along an axis, in a plane, among the planes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.arrays import planes_first

if TYPE_CHECKING:
    from acltwin.golden.run.run import Record

TILES = (256, 128, 64, 32, 16, 8)
LONGEST_STEP = 64
Mask = NDArray[np.bool_]
Wrong = tuple[Mask, "Record"]
"""The wrong cells of a case, channels first."""


def places_of(wrong: Sequence[Wrong]) -> list[str]:
    """What all the cases have in common; at last, always, an example."""
    axes = wrong[0][1].case.spec.axes
    masks = [mask for mask, _ in wrong]
    found = ["every cell is wrong"] if all(mask.all() for mask in masks) else []
    for number, axis in enumerate(axes):
        found += _along([_line(mask, number - len(axes)) for mask in masks], f"along {axis}")
    found += _among([_cells(mask, len(axes)) for mask in masks], "cells of a plane")
    planes = [_planes(mask, len(axes)) for mask in masks]
    if all(len(plane) > 1 and plane.sum() == 1 for plane in planes):
        found.append("only one plane is wrong")
    found += _among([_line(mask, -len(axes) - 1) for mask in masks], "channels")
    if all(_only_empty(mask, record) for mask, record in wrong):
        found.append("only cells that receive nothing are wrong")
    return [*found, _example(*max(wrong, key=lambda one: one[1].verdict.census.cells))]


def _along(lines: Sequence[Mask], where: str) -> list[str]:
    found = []
    several = [line for line in lines if len(line) > 1]
    if several and all(line[-1] and not line[:-1].any() for line in several):
        found.append(f"only the last cell {where} is wrong")
    if several and all(line[0] and not line[1:].any() for line in several):
        found.append(f"only the first cell {where} is wrong")
    tile = next((tile for tile in TILES if all(_beyond(line, tile) for line in lines)), None)
    if tile:
        found.append(f"only cells beyond the last whole block of {tile} {where} are wrong")
    return found or _among(lines, f"cells {where}")


def _among(lines: Sequence[Mask], what: str) -> list[str]:
    """The same few of them, or every so many, counted from 0, and no others."""
    together = np.unique(np.concatenate([np.flatnonzero(line) for line in lines]))
    shown = ", ".join(str(place) for place in together[:3])
    if len(together) < 3:  # too few to see a step
        more = min(len(line) for line in lines) > len(together)
        return [f"among the {what}, only {shown} {'is' if len(together) == 1 else 'are'} wrong"] if more else []
    for step in range(LONGEST_STEP, 1, -1):
        if len(np.unique(together % step)) == 1:
            words = {2: "second", 3: "third"}.get(step, f"{step}th")
            return [f"among the {what}, only every {words} one is wrong: {shown}, ..."]
    return []


def _line(mask: Mask, axis: int) -> Mask:
    """Where along an axis something is wrong."""
    return np.asarray(np.moveaxis(mask, axis, 0).reshape(mask.shape[axis], -1).any(1))


def _cells(mask: Mask, axes: int) -> Mask:
    return np.asarray(mask.reshape(-1, math.prod(mask.shape[-axes:])).any(0))


def _planes(mask: Mask, axes: int) -> Mask:
    return np.asarray(mask.reshape(-1, math.prod(mask.shape[-axes:])).any(1))


def _beyond(line: Mask, tile: int) -> bool:
    whole = len(line) // tile * tile
    return len(line) > tile and 0 < whole < len(line) and not line[:whole].any()


def _only_empty(mask: Mask, record: Record) -> bool:
    empty = planes_first(np.asarray(record.case.expected().count == 0), record.case.data_format)
    return bool(empty[mask].all())


def _example(mask: Mask, record: Record) -> str:
    axes = record.case.spec.axes
    names = [*("n", "c")[2 - (mask.ndim - len(axes)) :], *(axis.lower() for axis in axes)]
    first = ", ".join(f"{name} = {place}" for name, place in zip(names, np.argwhere(mask)[0], strict=True))
    planes = _planes(mask, len(axes))
    count = f"{mask.sum()} of {mask.size} cells are wrong, in {planes.sum()} of {len(planes)} planes"
    return f"in {record.case.name} {count}; the first is {first}"
