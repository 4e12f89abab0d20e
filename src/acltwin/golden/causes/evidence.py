"""What can be said of failures that no model explains: which cases fail, and where their wrong cells lie."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.case import Case
from acltwin.golden.cases.dtypes import planes_first
from acltwin.golden.judge.judge import impossible_cells
from acltwin.golden.judge.verdict import Record

TILES = (256, 128, 64, 32, 16, 8)
LONGEST_STEP = 64
Mask = NDArray[np.bool_]
Wrong = tuple[Mask, Record]
"""The wrong cells of a case, channels first."""
LOOKED_AT = 12  # of the smallest failing cases


def evidence_of(records: Iterable[Record]) -> tuple[str, ...]:
    """Sentences, the most telling first; each is true of every failing case that was looked at."""
    records = list(records)
    failed = [record for record in records if not record.verdict.passed and not record.verdict.problem]
    if not failed:
        return ()
    found = [only_where(records), *_sizes(records), *_numbers(failed), *_sources(failed)]
    looked = sorted((record for record in failed if record.output), key=lambda record: record.verdict.census.cells)
    wrong = [(cells, record) for record in looked[:LOOKED_AT] if (cells := _wrong_cells(record)) is not None]
    if wrong:
        found += places_of(wrong)
    return tuple(sentence for sentence in found if sentence)


def only_where(records: Sequence[Record]) -> str:
    """Whether cases of some kind fail, and no others: a kind of data, a dtype, a layout, an argument."""
    words = []
    for what, of in TRAITS.items():
        failed = Counter(of(record.case) for record in records if not record.verdict.passed)
        right = Counter(of(record.case) for record in records if record.verdict.passed)
        common = sum(right[kind] for kind in failed)
        if common < right.total() and (not common or (len(failed) == 1 and common <= failed.total())):
            share = f" ({failed.total()} of {failed.total() + common})" if common else ""
            words.append(f"{what} {', '.join(sorted(failed))}{share}")
    return f"only cases with {' and '.join(words)} fail" if words else ""


def _given_scales(case: Case) -> str:
    given = [bool(case.arguments.get(argument.python_name)) for argument in case.spec.inputs if argument.is_scale]
    return "given" if given and all(given) else "given in part" if any(given) else "not given"


def _differs(argument: str, usual: int) -> Callable[[Case], str]:
    """Whether an argument of a window is the usual one along every axis."""

    def trait(case: Case) -> str:
        value = case.arguments.get(argument, usual)
        return str(usual) if np.all(np.asarray(value if value is not None else usual) == usual) else f"above {usual}"

    return trait


TRAITS: Mapping[str, Callable[[Case], str]] = {
    "data": lambda case: case.fill or "given",
    "dtype": lambda case: case.dtype,
    "format": lambda case: case.data_format or "the default",
    "tensors that are": lambda case: "views" if case.is_view else "contiguous",
    "scales": _given_scales,
    "ceil mode": lambda case: "on" if case.arguments.get("ceil_mode") else "off",
    "padding": _differs("padding", 0),
    "dilation": _differs("dilation", 1),
}
"""What cases can have in common, beside their sizes."""


def _sizes(records: Sequence[Record]) -> list[str]:
    """Whether cases fail from some size on, and no smaller ones."""
    known = [record for record in records if record.case.geometry is not None]
    if not known:
        return []
    failed = [_measures(record.case) for record in known if not record.verdict.passed]
    right = [_measures(record.case) for record in known if record.verdict.passed]
    found = []
    for what in failed[0] if failed and right else ():
        least, most = min(sizes[what] for sizes in failed), max(sizes[what] for sizes in right)
        if least > most:
            found.append(f"only cases with {what} of {least} or more fail; those up to {most} pass")
    return found


def _measures(case: Case) -> dict[str, int]:
    geometry = case.geometry
    assert geometry is not None
    found = {"planes": math.prod(case.batch), "channels": case.batch[-1], "batches": math.prod(case.batch[:-1])}
    for side, sizes in (("input", geometry.source), ("result", geometry.result)):
        found |= {f"{axis} of the {side}": size for axis, size in zip(case.spec.axes, sizes, strict=True)}
        found[f"cells in a plane of the {side}"] = math.prod(sizes)
    return found


def _numbers(failed: Sequence[Record]) -> list[str]:
    """What the wrong values look like."""
    found = []
    censuses = [record.verdict.census for record in failed]
    if all(census.zero_instead == census.wrong for census in censuses):
        found.append("every wrong cell is 0")
    if all(0 < census.largest_ulps <= 1 and census.nan_found == census.nan_expected for census in censuses):
        found.append("only rounding: no error is above one unit in the last place")
    if all(cell.result == 1 for record in failed for cell in record.verdict.worst):
        found.append("all values are right, only indices are wrong")
    elif all(census.largest_error == 0 for census in censuses):
        found.append("only NaN and infinities are wrong")
    return found


def _sources(failed: Sequence[Record]) -> list[str]:
    """Lost, extra and doubled sources, and whether they are all moved by the same step."""
    cells = [cell for record in failed for cell in record.verdict.sources]
    if not cells:
        return []
    lost = sum(1 for cell in cells for source in cell.wrong if source.error < 0)
    extra = sum(1 for cell in cells for source in cell.wrong if source.error > 0)
    sentences = [f"in the first {len(cells)} decoded cells, {lost} sources are missing and {extra} are extra"]
    moves = Counter(
        tuple(int(b - a) for a, b in zip(taken[0].index, given[0].index, strict=True))
        for cell in cells
        if len(taken := [one for one in cell.wrong if one.error < 0]) == 1
        and len(given := [one for one in cell.wrong if one.error > 0]) == 1
    )
    if len(moves) == 1 and sum(moves.values()) == len(cells):
        sentences.append(f"every source is moved by {next(iter(moves))}")
    return sentences


def _wrong_cells(record: Record) -> NDArray[np.bool_] | None:
    """Channels first; of an operator with two results, those where either is wrong."""
    if record.case.geometry is None:
        return None
    assert record.output is not None
    wrong = impossible_cells(record.case, record.output[0], record.verdict.options)
    if len(record.output) > 1:
        wrong = wrong | np.asarray(record.output[1] != record.case.expected().indices)
    if not wrong.any():
        return None
    return planes_first(wrong, record.case.data_format)


# ---- where wrong cells lie: along an axis, in a plane, among the planes ----


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
    several = [mask for mask in masks if mask.ndim > len(axes) + 1]
    if len(several) == len(masks):
        found += _among([_line(mask, 0) for mask in several], "batches")
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
