"""What can be said of failures that no model explains: which cases fail, and where their wrong cells lie."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.case import Case
from acltwin.golden.cases.dtypes import planes_first
from acltwin.golden.causes.regions import regions_of
from acltwin.golden.causes.seen import factor_of, shown
from acltwin.golden.causes.view import View
from acltwin.golden.judge.judge import impossible_cells
from acltwin.golden.judge.verdict import Record

BLOCKS = (256, 128, 64, 32, 16, 8, 4, 2)
MOST = 3  # facts of a kind
FEW = 20  # that fewer than one case in so many is of another kind says nothing
Mask = NDArray[np.bool_]
Wrong = tuple[Mask, Record]
"""The wrong cells of a case, channels first."""
LOOKED_AT = 16  # of the smallest failing geometries


def evidence_of(records: Iterable[Record]) -> tuple[str, ...]:
    """Sentences, the most telling first; each is true of every failing case that was looked at."""
    records = [record for record in records if not record.verdict.problem]  # what was skipped says nothing
    failed = [record for record in records if not record.verdict.passed]
    if not failed:
        return ()
    found = [only_where(records), *_numbers(failed)]
    looked = {
        record.case.name.partition("/")[0]: record
        for record in sorted(failed, key=_size, reverse=True)
        if record.output
    }
    several = sorted(looked.values(), key=_size)[:LOOKED_AT]
    wrong = [(cells, record) for record in several if (cells := _wrong_cells(record)) is not None]
    views = [view for _, record in wrong if (view := View(record.case, record.output)).wrong.any()]
    found += [*contents_of(views), *_sizes(records), *_sources(failed), *(places_of(wrong, views) if wrong else ())]
    return tuple(sentence for sentence in found if sentence)


def _size(record: Record) -> int:
    return record.verdict.census.cells


def only_where(records: Sequence[Record]) -> str:
    """Whether cases of some kind fail, and no others: a kind of data, a dtype, a layout, an argument."""
    pure: list[str] = []  # no case of that kind passes
    mixed: list[str] = []
    for what, of in TRAITS.items():
        failed = Counter(of(record.case) for record in records if not record.verdict.passed)
        right = Counter(of(record.case) for record in records if record.verdict.passed)
        common = sum(right[kind] for kind in failed)
        alike = not common or (len(failed) == 1 and common <= failed.total())
        if alike and right.total() - common >= len(records) / FEW:
            share = f" ({failed.total()} of {failed.total() + common})" if common else ""
            (mixed if common else pure).append(f"{what} {', '.join(sorted(failed))}{share}")
    words = [*pure, *mixed][:MOST]
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


def _switch(argument: str) -> Callable[[Case], str]:
    return lambda case: "on" if case.arguments.get(argument) else "off"


def _compared(case: Case) -> str:
    """The sizes of the result with those of the input."""
    if case.geometry is None:
        return "unknown"
    pairs = [sorted(pair) for pair in zip(case.geometry.source, case.geometry.result, strict=True)]
    if all(small == large for small, large in pairs):
        return "equal"
    whole = all(small and large % small == 0 for small, large in pairs)
    return "multiples of each other" if whole else "not multiples of each other"


def _counted(axis: int) -> Callable[[Case], str]:
    return lambda case: "several" if case.geometry is not None and (1, *case.batch)[-2:][axis] > 1 else "one"


PATHS: Mapping[str, Callable[[Case], str]] = {
    "dtype": lambda case: case.dtype,
    "format": lambda case: case.data_format or "the default",
    "tensors that are": lambda case: "views" if case.is_view else "contiguous",
    "scales": _given_scales,
    "padding": _differs("padding", 0),
    "dilation": _differs("dilation", 1),
    **{name: _switch(name) for name in ("ceil_mode", "align_corners", "count_include_pad", "divisor_override")},
}
"""For which a kernel may have a path of its own."""
TRAITS: Mapping[str, Callable[[Case], str]] = {
    "data": lambda case: case.fill or "given",
    **PATHS,
    "stride": _differs("stride", 1),
    "a kernel size": _differs("kernel_size", 1),
    "sizes that are": _compared,
    "batches:": _counted(0),
    "channels:": _counted(1),
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
        if least > most > 1:
            found.append(f"only cases with {what} of {least} or more fail; those up to {most} pass")
        for block in BLOCKS:
            rests = {bool(sizes[what] % block) for sizes in failed}, {bool(sizes[what] % block) for sizes in right}
            if rests in (({True}, {False}), ({False}, {True})):
                multiple = "no multiple" if rests[0] == {True} else "a multiple"
                found.append(f"only cases with {what} that are {multiple} of {block} fail")
                break
    return found[:1]


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


def places_of(wrong: Sequence[Wrong], views: Sequence[View]) -> list[str]:
    """What all the cases have in common; at last, always, an example."""
    spec = wrong[0][1].case.spec
    axes = spec.axes
    masks = [mask for mask, _ in wrong]
    found = ["every cell is wrong"] if all(mask.all() for mask in masks) else []
    tight = [one for one in regions_of(spec, views) if all(one.limits(one.line.wrong(view)) for view in views)]
    for line in list(dict.fromkeys(region.line for region in tight))[:MOST]:
        own = [region for region in tight if region.line is line]  # the smallest is said
        found.append(f"only {min(own, key=lambda one: sum(one.mask(view).sum() for view in views)).words} are wrong")
    planes = [_planes(mask, len(axes)) for mask in masks]
    if all(len(plane) > 1 and plane.sum() == 1 for plane in planes):
        found.append("only one plane is wrong")
    if all(_only_empty(mask, record) for mask, record in wrong):
        found.append("only cells that receive nothing are wrong")
    return [*found, _example(*max(wrong, key=lambda one: one[1].verdict.census.cells))]


def contents_of(views: Sequence[View]) -> list[str]:
    """What stands in the wrong cells of all cases."""
    found = {float(value) for view in views for value in np.unique(view.found[view.wrong])[:2]}
    if len(found) == 1 and found != {0.0}:  # of 0 the census speaks
        return [f"every wrong cell holds {found.pop():g}"]
    factor = factor_of(views, lambda view: view.wrong)
    return [] if factor in (None, 1) else [f"most wrong cells hold {shown(factor)} times the right value"]


def _planes(mask: Mask, axes: int) -> Mask:
    return np.asarray(mask.reshape(-1, math.prod(mask.shape[-axes:])).any(1))


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
