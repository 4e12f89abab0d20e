"""Additions to the same cell overwrite each other."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.fills import adds
from acltwin.golden.models.model import FaultClass, Model, Page, Prediction
from acltwin.golden.models.view import View
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Cells with one source are right. In others, some sources are missing, depending on their order or on the "
    "block in which they were read. On a device, the missing ones may change from run to run.",
    arises="Several lanes or cores read, add to and write a cell at the same time; or a block overwrites the sums of "
    "the previous block.",
    wrong="total[index] = total[index] + values      # a vector of indices that repeat",
    right="atomic_add(total[index], values)",
    fix="Use atomic additions, or assign every cell to one lane that collects its sources.",
)
Lost = Callable[[View], NDArray[np.bool_]]
"""(planes, sources): which sources do not arrive."""


def models(spec: OpSpec) -> tuple[Model, ...]:
    if not adds(spec):
        return ()
    rows: list[tuple[str, FaultClass, str, Lost, float]] = [
        (f"addition {k + 1} lost", "accumulation", f"addition number {k + 1} to each cell is lost", _rank(k), 1.1)
        for k in (1, 2)
    ]
    rows += [
        (
            f"every {k}. addition lost",
            "accumulation",
            f"one of every {k} additions to a cell is lost",
            _every(k),
            1.1,
        )
        for k in range(2, 9)
    ]
    for size in (2, 4, 8, 16, 32, 64, 128, 256):
        for keeps in ("last", "first"):
            rows.append(
                (
                    f"vectors of {size}, {keeps} kept",
                    "accumulation",
                    f"only the {keeps} of several additions to a cell within {size} neighbouring sources counts",
                    _vectors(size, keeps == "first"),
                    1.1,
                )
            )
        rows.append(
            (
                f"blocks of {size} overwrite",
                "tiling",
                f"a block of {size} sources overwrites what the blocks before it added to a cell",
                _overwritten(size),
                1.2,
            )
        )
    return tuple(Model(name, cause, sentence, _losing(lost), cost=cost) for name, cause, sentence, lost, cost in rows)


def _losing(lost: Lost) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        gone = lost(view)
        if not gone.any():
            return None
        kept = np.where(gone.reshape(view.x.shape), 0.0, view.x)
        return view.documented_on(kept)

    return predict


def _ranks(view: View) -> NDArray[np.int64]:
    """(planes, sources): the how-manieth addition to its cell each one is; -1: to none."""
    rank = np.full(math.prod(view.x.shape), -1)
    for number, (_, sources) in enumerate(view.ranked):
        rank[sources] = number
    return rank.reshape(view.owners.shape)


def _rank(number: int) -> Lost:
    return lambda view: _ranks(view) == number


def _every(step: int) -> Lost:
    return lambda view: _ranks(view) % step == step - 1


def _groups(view: View, size: int) -> NDArray[np.int64]:
    """A number for every pair of a block of sources and a cell."""
    owners = view.owners
    block = np.arange(owners.shape[1]) // size
    blocks = int(block[-1]) + 1
    cells = math.prod(view.result)
    plane = np.arange(len(owners))[:, None]
    return (plane * blocks + block) * cells + owners


def _vectors(size: int, keep_first: bool) -> Lost:
    def lost(view: View) -> NDArray[np.bool_]:
        groups = _groups(view, size).ravel()
        order = groups if keep_first else groups[::-1]
        kept = np.zeros(groups.size, bool)
        kept[np.unique(order, return_index=True)[1]] = True
        kept = kept if keep_first else kept[::-1]
        return ~kept.reshape(view.owners.shape) & (view.owners >= 0)

    return lost


def _overwritten(size: int) -> Lost:
    def lost(view: View) -> NDArray[np.bool_]:
        owners = view.owners
        block = np.broadcast_to(np.arange(owners.shape[1]) // size, owners.shape)
        last = np.full((len(owners), math.prod(view.result)), -1)
        plane = np.broadcast_to(np.arange(len(owners))[:, None], owners.shape)
        used = owners >= 0
        np.maximum.at(last, (plane[used], owners[used]), block[used])
        return used & (block < last[plane, np.maximum(owners, 0)])

    return lost
