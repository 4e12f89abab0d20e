"""Index operators with other indices than they were given, and what becomes of an index in a narrow type."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import Array, facts, rounded
from acltwin.golden.cases.family import fetches
from acltwin.golden.causes.view import View
from acltwin.golden.judge.expected import Expected

Places = NDArray[np.int64]
Change = Callable[[Places], Places]


def plane_sizes(view: View) -> tuple[int, ...]:
    """Of the planes that the indices point into: the larger side."""
    return view.source if fetches(view.spec) else view.result


def reindexed(view: View, places: Places, outside: str = "drop") -> Expected | Array:
    """The documented result with these indices. One outside its plane is dropped, or clamped, or wrapped into it."""
    cells = math.prod(plane_sizes(view))
    legal = (places >= 0) & (places < cells)
    if legal.all():
        return view.documented_on(view.x, places)
    if outside == "clamp":
        return view.documented_on(view.x, np.clip(places, 0, cells - 1))
    if outside == "wrap":
        return view.documented_on(view.x, places % cells)
    return _dropped(view, np.where(legal, places, 0), legal)


def _dropped(view: View, places: Places, legal: NDArray[np.bool_]) -> Expected | Array:
    """What is fetched from nowhere is 0; what is sent nowhere does not arrive."""
    if fetches(view.spec):
        expected = view.documented_on(view.x, places)
        kept = legal.reshape(expected.value.shape)
        expected.value = np.where(kept, expected.value, 0).astype(expected.value.dtype)
        return expected
    if not view.adds:
        return _copied(view, places, legal)
    return view.documented_on(np.where(legal.reshape(view.x.shape), view.x, 0.0), places)


def _copied(view: View, places: Places, legal: NDArray[np.bool_]) -> Array:
    """Copies one after the other, so that the last one stays; a cell too many takes those that go nowhere."""
    cells = math.prod(plane_sizes(view))
    result = np.zeros((len(places), cells + 1), view.x.dtype)
    for plane, goals, values in zip(result, np.where(legal, places, cells), view.planes, strict=True):
        plane[goals] = values
    return view.exactly(result[:, :-1])


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
