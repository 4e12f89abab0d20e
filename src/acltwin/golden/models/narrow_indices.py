"""What becomes of an index in a type that is too narrow for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.dtypes import facts, rounded

Places = NDArray[np.int64]
Change = Callable[[Places], Places]


@dataclass(frozen=True)
class Narrow:
    name: str
    sentence: str
    observed: str
    change: Change
    cost: float = 1.0
    leaves: bool = False  # whether an index can leave its plane by this


def _cut(bits: int) -> Change:
    return lambda places: places % 2**bits


def _signed(bits: int) -> Change:
    half = 2 ** (bits - 1)
    return lambda places: (places + half) % 2**bits - half


def _clamped(limit: int) -> Change:
    return lambda places: np.minimum(places, limit)


def _through(name: str) -> Change:
    def change(places: Places) -> Places:
        held = rounded(places.astype(np.float64), facts(name).dtype).astype(np.float64)
        return np.where(np.isfinite(held), held, -1).astype(np.int64)

    return change


NARROW: tuple[Narrow, ...] = (
    *(
        Narrow(
            f"indices of {bits} bits",
            f"indices are truncated to {bits} bits, or count from the start of a tile of {2**bits} cells",
            f"index modulo 2^{bits}",
            _cut(bits),
        )
        for bits in (7, 8, 10, 11, 12, 15, 16)
    ),
    *(
        Narrow(
            f"indices as int{bits}",
            f"indices are kept in int{bits}, where large ones become negative",
            f"int{bits}",
            _signed(bits),
            leaves=True,
        )
        for bits in (8, 16)
    ),
    *(
        Narrow(
            f"indices as {name}",
            f"indices pass through {name}, which does not hold them all",
            name,
            _through(name),
            leaves=True,
        )
        for name in ("float16", "bfloat16")
    ),
    *(
        Narrow(
            f"indices clamped to {limit}",
            f"indices above {limit} become {limit}",
            f"at most {limit}",
            _clamped(limit),
            1.1,
        )
        for limit in (127, 255, 2047, 2048, 32767, 65535)
    ),
)
