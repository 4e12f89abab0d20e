"""From wrong coded outputs to wrong sources.

Sums: the differences from the expected power sums are syndromes; at most two wrong sources follow from five of them
(Reed-Solomon with one check), and the plain integers behind the residues confirm it. Copies: the digits are the
address.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.codes import POWERS, SumCode, alphas, code_of_plane, powers, sum_code, turn_of_group
from acltwin.golden.cases.dtypes import Array, facts, float64, planes_first
from acltwin.golden.cases.family import adds, flowing_name, weighs
from acltwin.golden.cases.fills import comb_steps, planes_needed
from acltwin.golden.cases.weights import documented_weights
from acltwin.golden.judge.expected import Expected
from acltwin.golden.judge.verdict import Source, Sources

if TYPE_CHECKING:
    from acltwin.golden.cases.case import Case


@dataclass(frozen=True)
class Decoded:
    """Of each wrong cell: its number, and the numbers and errors of its wrong sources; none if it is not decodable."""

    cells: NDArray[np.int64]
    sources: NDArray[np.int64]  # (cells, 2), -1: none
    errors: NDArray[np.int64]  # (cells, 2), 0: none

    def __iter__(self) -> Iterator[tuple[int, list[tuple[int, int]]]]:
        for cell, sources, errors in zip(self.cells, self.sources, self.errors, strict=True):
            pairs = zip(sources.tolist(), errors.tolist(), strict=True)
            yield int(cell), [(source, error) for source, error in pairs if error]


class Field:
    """Arithmetic modulo a prime, on arrays."""

    def __init__(self, prime: int) -> None:
        self.prime = prime
        numbers = np.arange(prime, dtype=np.int64)
        self._root = np.full(prime, -1, np.int64)
        self._root[numbers * numbers % prime] = numbers

    def inverse(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """By Fermat; 0 for 0."""
        result, factor, exponent = np.ones_like(numbers), numbers % self.prime, self.prime - 2
        while exponent:
            if exponent & 1:
                result = result * factor % self.prime
            factor = factor * factor % self.prime
            exponent >>= 1
        return np.where(numbers % self.prime == 0, 0, result)

    def root(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """A square root, -1 where there is none."""
        return self._root[numbers % self.prime]


def decode_sums(
    code: SumCode, alpha: NDArray[np.int64], found: NDArray[np.float64], expected: NDArray[np.float64]
) -> Decoded:
    """``found`` and ``expected`` are (planes of one comb, cells). Only cells that differ are in the answer."""
    with np.errstate(invalid="ignore"):
        differs = (found != expected).any(0)
        whole = (np.isfinite(found) & (found == np.rint(found)) & (np.abs(found) < 2.0**52)).all(0)
    cells = np.flatnonzero(differs)
    sources = np.full((len(cells), 2), -1, np.int64)
    errors = np.zeros((len(cells), 2), np.int64)
    usable = whole[cells]
    difference = np.zeros((len(found), len(cells)), np.int64)
    difference[:, usable] = (found[:, cells[usable]] - expected[:, cells[usable]]).astype(np.int64)
    sums = power_sums(code, difference)
    numbers = powers(code, alpha)
    source_of = np.full(code.prime, -1, np.int64)
    source_of[alpha] = np.arange(len(alpha))
    field = Field(code.prime)
    for guess in (_one(field, sums), _two(field, sums)):
        candidate = source_of[guess[0]]
        weight = np.where(guess[1] > code.prime // 2, guess[1] - code.prime, guess[1])
        open_ = usable & (errors == 0).all(1)
        small = (np.abs(weight) <= 2).all(1) & (weight != 0).any(1) & ((candidate >= 0) | (weight == 0)).all(1)
        # The integers themselves, not only their residues: a false pair would have to agree in all of them.
        known = np.maximum(candidate, 0)
        explained = numbers[:, known[:, 0]] * weight[:, 0] + numbers[:, known[:, 1]] * weight[:, 1]
        right = open_ & small & (explained == sums).all(0)
        sources[right] = np.where(weight[right] != 0, candidate[right], -1)
        errors[right] = weight[right]
    return Decoded(cells, sources, errors)


def power_sums(code: SumCode, planes: NDArray[np.int64]) -> NDArray[np.int64]:
    """(5, cells): the digits of each power put together."""
    result = np.zeros((POWERS, planes.shape[1]), np.int64)
    result[0] = planes[0]
    for power in range(1, POWERS):
        for digit in range(code.digits):
            result[power] += planes[code.plane_of(power, digit)] * code.base**digit
    return result


Guess = tuple[NDArray[np.int64], NDArray[np.int64]]
"""(cells, 2) alphas and their errors, both modulo P."""


def _one(field: Field, sums: NDArray[np.int64]) -> Guess:
    first, second = sums[0] % field.prime, sums[1] % field.prime
    alpha = second * field.inverse(first) % field.prime
    nothing = np.zeros_like(alpha)
    return np.stack((alpha, nothing), 1), np.stack((first, nothing), 1)


def _two(field: Field, sums: NDArray[np.int64]) -> Guess:
    """alpha^2 + b alpha + c = 0 with [s0 s1; s1 s2] [c b] = -[s2 s3]; then the errors from s0 and s1."""
    prime = field.prime
    s0, s1, s2, s3 = (sums[power] % prime for power in range(4))
    determinant = field.inverse((s0 * s2 - s1 * s1) % prime)
    b = (s1 * s2 % prime - s0 * s3 % prime) % prime * determinant % prime
    c = (s1 * s3 % prime - s2 * s2 % prime) % prime * determinant % prime
    root = field.root((b * b - 4 * c) % prime)
    half = (prime + 1) // 2
    first = (root - b) % prime * half % prime
    second = (-root - b) % prime * half % prime
    share = (s1 - s0 * second % prime) % prime * field.inverse((first - second) % prime) % prime
    solvable = (root > 0) & (determinant != 0)
    errors = np.where(solvable[:, None], np.stack((share, (s0 - share) % prime), 1), 0)
    return np.stack((first, second), 1), errors


def decode_digits(
    planes: NDArray[np.float64], base: int, cells: int, turn: int = 0, first: int = 1
) -> NDArray[np.int64]:
    """(D, results) digits, counted from ``first``, as addresses; -1: 0 in every plane, not written; -2: no address."""
    digits = planes - first
    with np.errstate(invalid="ignore"):
        legal = ((digits >= 0) & (digits < base) & (digits == np.floor(digits))).all(0)
        unwritten = (planes == 0).all(0)
    address = np.full(planes.shape[1], first - 1)
    for place, digit in enumerate(digits):
        address += np.where(legal, digit, 0).astype(np.int64) * base**place
    legal &= (address >= 0) & (address < cells)
    return np.where(legal, (address - turn) % cells, np.where(unwritten, -1, -2))


# ---- applied to a case: which sources of which cells are wrong, in coordinates ----

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
    """Planes that hold the codes of one plane of results, in the order of the"""

    plane: tuple[int, ...]
    planes: tuple[tuple[int, ...], ...]


def _groups(case: Case) -> Iterator[Group]:
    assert case.geometry is not None
    assert case.fill is not None
    count = planes_needed(case.spec, case.geometry, case.dtype, case.fill)
    for outer in np.ndindex(*case.batch[:-1]):
        for start in range(0, case.batch[-1] - count + 1, count):
            members = [(*outer, start + offset) for offset in range(count)]
            members.sort(key=lambda plane: code_of_plane(plane, count))
            yield Group((*outer, start), tuple(members))


def _planes(case: Case, values: Array, group: Group) -> NDArray[np.float64]:
    """(codes, cells) of a group."""
    assert case.geometry is not None
    first = planes_first(values, case.data_format)
    return np.stack([float64(first[plane]).ravel() for plane in group.planes])


def _group_sources(
    case: Case, group: Group, found: NDArray[np.float64], wanted: NDArray[np.float64]
) -> Iterator[tuple[tuple[int, ...], int, tuple[Source, ...]]]:
    assert case.geometry is not None
    source, result = case.geometry.source, case.geometry.result
    cells = math.prod(source)
    if weighs(case.spec):
        yield from _weights(case, found, wanted)
        return
    if not adds(case.spec):
        fact = facts(case.dtype)
        turn = turn_of_group(group.plane, len(group.planes), cells)
        asked, came = (
            decode_digits(planes, fact.code_base, cells, turn, fact.first_code) for planes in (wanted, found)
        )
        for cell in np.flatnonzero((found != wanted).any(0)).tolist():
            wrong = []
            if came[cell] != -2:
                wrong += [Source(_place(asked[cell], source), -1, True)] if asked[cell] >= 0 else []
                wrong += [Source(_place(came[cell], source), +1)] if came[cell] >= 0 else []
            yield _place(cell, result), int(asked[cell] >= 0), tuple(wrong)
        return
    code = sum_code(cells, case.geometry.terms, case.dtype)
    alpha = alphas(code, case.making.stream(flowing_name(case.spec)))
    for comb in range(code.combs_used):
        rows = slice(comb * code.per_comb, (comb + 1) * code.per_comb)
        for cell, pairs in decode_sums(code, alpha, found[rows], wanted[rows]):
            wrong = [Source(_place(number, source), error) for number, error in pairs]
            yield _place(cell, result), int(wanted[rows][0][cell]), tuple(wrong)


def _weights(
    case: Case, found: NDArray[np.float64], wanted: NDArray[np.float64]
) -> Iterator[tuple[tuple[int, ...], int, tuple[Source, ...]]]:
    """Of combs of ones: the weights of the sources near a cell; one that has none is the nearest to its others."""
    assert case.geometry is not None
    source, result = case.geometry.source, case.geometry.result
    steps = comb_steps(case.geometry)
    rule = documented_weights(case.spec, case.arguments, source, result, case.dtype, case.map_rule)
    reached = [table.reached for table in rule.tables(source, result)]
    unique = all(
        step >= rows.sum(1).max() or step == size for step, rows, size in zip(steps, reached, source, strict=True)
    )
    with np.errstate(invalid="ignore"):
        differs = ~(np.abs(found - wanted) <= 2.0**-7 * (1 + np.abs(wanted)) / 16)
    for cell in np.flatnonzero(differs.any(0)).tolist():
        place = _place(cell, result)
        rows = [np.flatnonzero(table[at]) for table, at in zip(reached, place, strict=True)]
        wrong = []
        for plane in np.flatnonzero(differs[:, cell]).tolist() if unique else ():
            index = []
            for residue, row, step, size in zip(_place(plane, steps), rows, steps, source, strict=True):
                near = np.arange(residue, size, step)
                centre = row.mean() if len(row) else 0.0
                index.append(int(near[np.argmin(np.abs(near - centre))]))
            weight, came = float(wanted[plane, cell]), float(found[plane, cell])
            wrong.append(Source(tuple(index), int(weight == 0) - int(came == 0), weight != 0, weight, came))
        yield place, int((wanted[:, cell] != 0).sum()), tuple(wrong)


def _place(number: int, sizes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(axis) for axis in np.unravel_index(int(number), sizes))
