"""Planes of codes: data whose sums, or copies, say from where every result came.

Selections copy one cell, so the digits of its address, one digit a plane, come out as they went in. Sums need more:
a source gets a shuffled number ``alpha`` of GF(P), and the planes hold the digits of its powers 0 to 4. The sums of a
cell are then power sums of its sources; their differences from the expected ones are the syndromes of a Reed-Solomon
code, from which ``decode.py`` computes which (at most two) sources are wrong, and how.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import facts
from acltwin.golden.cases.streams import Stream

STRAYS = 2  # wrong sources that are identified: t
POWERS = 2 * STRAYS + 1  # the last one is the check
COMB = 64  # sources of one cell that may be non-zero at once where a dtype cannot hold the sums of all
PLANE_BUDGET = 256  # coded planes of one case; beyond it a sample of the combs


@dataclass(frozen=True)
class SumCode:
    """The planes of one case. With several combs only the sources of one comb are non-zero in a group of planes."""

    sources: int  # Q, per plane
    terms: int  # n
    prime: int
    base: int
    digits: int
    combs: int
    combs_used: int

    @property
    def per_comb(self) -> int:
        """1 plane of ones, and the digits of the powers above."""
        return 1 + (POWERS - 1) * self.digits

    @property
    def planes(self) -> int:
        return self.per_comb * self.combs_used

    @property
    def share(self) -> float:
        """How much of the sources the planes cover."""
        return self.combs_used / self.combs

    def plane_of(self, power: int, digit: int, comb: int = 0) -> int:
        return comb * self.per_comb + (0 if power == 0 else 1 + (power - 1) * self.digits + digit)


def sum_code(sources: int, terms: int, dtype: str) -> SumCode:
    """The cheapest code whose sums, with two strays, are exact in ``dtype``: n (B - 1) <= 2^p."""
    bits = facts(dtype).bits
    prime = next_prime(max(sources, 6))  # +-1 and +-2 must differ
    combs = 1 if terms + STRAYS <= 2 ** (bits - 1) else -(-terms // COMB)
    summed = min(terms, COMB) if combs > 1 else terms
    base = 2 ** int(math.log2(2**bits / (summed + STRAYS)))
    base = min(base, 2 ** max(1, (prime - 1).bit_length()))  # one digit is enough
    digits = math.ceil((prime - 1).bit_length() / (base.bit_length() - 1))
    per_comb = 1 + (POWERS - 1) * digits
    return SumCode(sources, terms, prime, base, digits, combs, max(1, min(combs, PLANE_BUDGET // per_comb)))


@lru_cache(maxsize=64)
def alphas(code: SumCode, stream: Stream) -> NDArray[np.int64]:
    """A distinct number of 1 .. P-1 for every source, in an order that no interval can follow."""
    return 1 + stream.permutation(code.prime - 1)[: code.sources]


def powers(code: SumCode, alpha: NDArray[np.int64]) -> NDArray[np.int64]:
    """(5, sources): alpha^m mod P."""
    result = np.ones((POWERS, len(alpha)), np.int64)
    for power in range(1, POWERS):
        result[power] = result[power - 1] * alpha % code.prime
    return result


def sum_planes(code: SumCode, stream: Stream, ranks: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """(planes, sources). ``ranks`` number the sources inside their cell: sources of equal rank // COMB are a comb."""
    numbers = powers(code, alphas(code, stream))
    planes = [numbers[0]]
    for power in range(1, POWERS):
        planes += [numbers[power] // code.base**digit % code.base for digit in range(code.digits)]
    block = np.stack(planes)
    if code.combs == 1:
        return block
    if ranks is None:
        raise ValueError("several combs need the rank of every source inside its cell")
    return np.concatenate([block * (ranks // COMB == comb) for comb in combs_of(code, stream)])


def combs_of(code: SumCode, stream: Stream) -> NDArray[np.int64]:
    """The combs that are used, in the order of their planes."""
    return stream.of(1).permutation(code.combs)[: code.combs_used]


def digit_count(cells: int, dtype: str) -> int:
    """How many planes the address of a cell takes: D."""
    fact, digits = facts(dtype), 1
    while fact.code_base**digits < cells + 1 - fact.first_code:
        digits += 1
    return digits


def digit_planes(cells: int, dtype: str, turn: int = 0) -> NDArray[np.int64]:
    """(D, cells): 1 + digit d of the cell's number plus ``turn``, so that 0 means "not written"."""
    fact = facts(dtype)
    base, first = fact.code_base, fact.first_code
    numbers = (np.arange(cells) + turn) % cells + 1 - first
    return np.stack([first + numbers // base**digit % base for digit in range(digit_count(cells, dtype))])


def turn_of_group(plane: tuple[int, ...], planes: int, cells: int) -> int:
    """How far the numbers of a group of digit planes are turned, so that no two groups hold the same data."""
    return (17 * (sum(plane[:-1]) * 5 + plane[-1] // planes)) % cells


def code_of_plane(plane: tuple[int, ...], planes: int) -> int:
    """Which code the plane (n, c), or (c,), holds: shifted from batch to batch, since a kernel may mix them up."""
    return sum(plane) % planes


def next_prime(above: int) -> int:
    """The smallest prime above a number."""
    candidate = above + 1
    while any(candidate % factor == 0 for factor in range(2, math.isqrt(candidate) + 1)):
        candidate += 1
    return candidate
