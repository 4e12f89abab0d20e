"""From wrong coded outputs to wrong sources.

Sums: the differences from the expected power sums are syndromes; at most two wrong sources follow from five of them
(Reed-Solomon with one check), and the plain integers behind the residues confirm it. Copies: the digits are the
address.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.codes import POWERS, SumCode, powers

Index = tuple[int, ...]


@dataclass(frozen=True)
class Source:
    """A wrong source of a cell. ``error`` is its weight minus the documented one: -1 lost, +1 extra or doubled."""

    index: Index
    error: int
    documented: bool = False  # whether it is a source of this cell at all: +1 then means "doubled"


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


def decode_digits(planes: NDArray[np.float64], base: int, cells: int, turn: int = 0) -> NDArray[np.int64]:
    """(D, results) digits as addresses; -1: 0 in every plane, not written; -2: no address."""
    digits = planes - 1
    with np.errstate(invalid="ignore"):
        legal = ((digits >= 0) & (digits < base) & (digits == np.floor(digits))).all(0)
        unwritten = (planes == 0).all(0)
    address = np.zeros(planes.shape[1], np.int64)
    for place, digit in enumerate(digits):
        address += np.where(legal, digit, 0).astype(np.int64) * base**place
    legal &= address < cells
    return np.where(legal, (address - turn) % cells, np.where(unwritten, -1, -2))
