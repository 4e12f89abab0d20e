"""The decoder, applied to a case: which sources of which cells are wrong, in coordinates."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases import codes
from acltwin.golden.cases.arrays import planes_first
from acltwin.golden.cases.case import Case
from acltwin.golden.cases.dtypes import Array, facts, float64
from acltwin.golden.cases.family import adds, flowing_name
from acltwin.golden.cases.fills import planes_needed
from acltwin.golden.judge import decode
from acltwin.golden.judge.expected import Expected
from acltwin.golden.judge.verdict import Sources

LIMIT = 20  # cells that are kept with their sources


@dataclass(frozen=True)
class Reading:
    """What the decoder read in one output: the first cells with their sources, and how many there are."""

    cells: tuple[Sources, ...]
    decoded: int
    undecoded: int


def read(case: Case, output: Array, expected: Expected) -> Reading | None:
    """None if the case is not a coded one of ours."""
    if case.geometry is None or case.fill is None or not case.fill.startswith("coded"):
        return None
    if case.batch[-1] < planes_needed(case.spec, case.geometry, case.dtype, case.fill):
        return None  # the codes are spread over several cases
    kept: list[Sources] = []
    decoded = undecoded = 0
    for group in _groups(case):
        found, wanted = (_planes(case, values, group) for values in (output, expected.value))
        for cell, terms, wrong in _group_sources(case, group, found, wanted):
            decoded, undecoded = (decoded + 1, undecoded) if wrong else (decoded, undecoded + 1)
            if wrong and len(kept) < LIMIT:
                kept.append(Sources(group.plane, cell, terms, wrong, not adds(case.spec)))
    return Reading(tuple(kept), decoded, undecoded)


@dataclass(frozen=True)
class Group:
    """Planes that hold the codes of one plane of results, in the order of the codes."""

    plane: tuple[int, ...]
    planes: tuple[tuple[int, ...], ...]


def _groups(case: Case) -> Iterator[Group]:
    assert case.geometry is not None
    assert case.fill is not None
    count = planes_needed(case.spec, case.geometry, case.dtype, case.fill)
    for outer in np.ndindex(*case.batch[:-1]):
        for start in range(0, case.batch[-1] - count + 1, count):
            members = [(*outer, start + offset) for offset in range(count)]
            members.sort(key=lambda plane: codes.code_of_plane(plane, count))
            yield Group((*outer, start), tuple(members))


def _planes(case: Case, values: Array, group: Group) -> NDArray[np.float64]:
    """(codes, cells) of a group."""
    assert case.geometry is not None
    first = planes_first(values, case.data_format)
    return np.stack([float64(first[plane]).ravel() for plane in group.planes])


def _group_sources(
    case: Case, group: Group, found: NDArray[np.float64], wanted: NDArray[np.float64]
) -> Iterator[tuple[tuple[int, ...], int, tuple[decode.Source, ...]]]:
    assert case.geometry is not None
    source, result = case.geometry.source, case.geometry.result
    cells = math.prod(source)
    if not adds(case.spec):
        base = facts(case.dtype).code_base
        turn = codes.turn_of_group(group.plane, len(group.planes), cells)
        asked, came = (decode.decode_digits(planes, base, cells, turn) for planes in (wanted, found))
        for cell in np.flatnonzero((found != wanted).any(0)).tolist():
            wrong = []
            if came[cell] != -2:
                wrong += [decode.Source(_place(asked[cell], source), -1, True)] if asked[cell] >= 0 else []
                wrong += [decode.Source(_place(came[cell], source), +1)] if came[cell] >= 0 else []
            yield _place(cell, result), int(asked[cell] >= 0), tuple(wrong)
        return
    code = codes.sum_code(cells, case.geometry.terms, case.dtype)
    alpha = codes.alphas(code, case.making.stream(flowing_name(case.spec)))
    for comb in range(code.combs_used):
        rows = slice(comb * code.per_comb, (comb + 1) * code.per_comb)
        for cell, pairs in decode.decode_sums(code, alpha, found[rows], wanted[rows]):
            wrong = [decode.Source(_place(number, source), error) for number, error in pairs]
            yield _place(cell, result), int(wanted[rows][0][cell]), tuple(wrong)


def _place(number: int, sizes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(axis) for axis in np.unravel_index(int(number), sizes))
