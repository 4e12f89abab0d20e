"""Random numbers that depend on names alone: the same bytes on every machine, in every version of NumPy.

A stream is Philox4x64 keyed by the SHA-256 of (schema, seed, case, tensor). Every block of 4,096 elements has a counter
of its own, so data do not depend on threads or on what else was made. The transforms are integer arithmetic and single
IEEE operations: no logarithm whose last bit is a matter of taste.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SCHEMA = "acltwin-golden/1"
BLOCK = 4096


@dataclass(frozen=True)
class Stream:
    """The random numbers of one tensor. ``purpose`` numbers independent streams of the same tensor."""

    seed: int
    case: str
    tensor: str
    purpose: int = 0

    def of(self, purpose: int) -> Stream:
        return Stream(self.seed, self.case, self.tensor, purpose)

    def raw(self, shape: tuple[int, ...], words: int = 1) -> NDArray[np.uint64]:
        """(words, *shape) uniform 64-bit words; element e of word w is word w * 4096 + e % 4096 of block e // 4096."""
        count = math.prod(shape)
        blocks = -(-count // BLOCK)
        result = np.empty((words, blocks * BLOCK), np.uint64)
        for block in range(blocks):
            philox = np.random.Philox(key=self._key, counter=(self.purpose << 128) | (block << 64))
            last = min(BLOCK, count - block * BLOCK)
            drawn = philox.random_raw(BLOCK * (words - 1) + last)
            for word in range(words):
                part = drawn[word * BLOCK : word * BLOCK + last]
                result[word, block * BLOCK : block * BLOCK + last] = part
        return result[:, :count].reshape(words, *shape)

    def integers(self, low: int, high: int, shape: tuple[int, ...]) -> NDArray[np.int64]:
        """From ``low`` to ``high``, both included; the remainder's bias is below 2^-11 for every range used."""
        span = high - low + 1
        if not 0 < span <= 2**53:
            raise ValueError(f"a range of {span} integers; expected 1 to 2^53")
        return np.asarray(self.raw(shape)[0] % np.uint64(span)).astype(np.int64) + low

    def signed(self, largest: int, shape: tuple[int, ...]) -> NDArray[np.int64]:
        """Uniform over the non-zero integers of [-largest, largest]."""
        drawn = self.integers(0, 2 * largest - 1, shape)
        return np.where(drawn < largest, drawn - largest, drawn - largest + 1)

    def uniform(self, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """[0, 1), all 53 bits."""
        return np.asarray(self.raw(shape)[0] >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def reals(self, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """A bell of variance 1 (four uniforms added) times a factor from 1/8 to 8, with full significands."""
        first, second, factor = self.raw(shape, 3)
        low = np.uint64(0xFFFFFFFF)
        halves = [word for pair in (first, second) for word in ((pair >> np.uint64(32)), (pair & low))]
        total = sum(half.astype(np.int64) for half in halves) - 2 * (2**32 - 1)
        bell = np.asarray(total, np.float64) * (2.0**-32 * math.sqrt(3.0))
        exponent = ((factor & np.uint64(0x7FF)) % np.uint64(6)).astype(np.int32) - 3
        mantissa = 1.0 + (factor >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return np.asarray(bell * np.ldexp(mantissa, exponent), np.float64)

    def permutation(self, count: int) -> NDArray[np.int64]:
        return np.argsort(self.raw((count,))[0], kind="stable")

    @property
    def _key(self) -> int:
        text = "\n".join((SCHEMA, str(self.seed), self.case, self.tensor))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "little")
