"""What a run found, and what follows from it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from bench.cases import Row

Regime = Literal["quiet", "in-place"]
REGIMES: dict[Regime, str] = {"quiet": "reuse", "in-place": "in_place"}
"""Each regime and a time that every row has once it is measured so."""
PEERS = ("inductor", "onednn", "jax", "numpy")
"""Beside PyTorch, and only where they are asked for."""


@dataclass(frozen=True)
class RowResult:
    """Seconds per call, by name; those of libraries that are not installed or have no such call are not there.

    Quiet: `reuse` and `allocate` (a new result), `torch_reuse`, `torch_allocate`, and the other peers: oneDNN into
    memory that is reused, the others with new results. In place: `in_place` and `torch_in_place`, both on tensors with
    new results.
    """

    row: Row
    seconds: Mapping[str, float]

    def lacks(self, regimes: Iterable[Regime]) -> list[Regime]:
        """What is still to be measured."""
        return [regime for regime in regimes if REGIMES[regime] not in self.seconds]

    def _ratio(self, name: str, peer: str) -> float | None:
        own, other = self.seconds.get(name), self.seconds.get(peer)
        return None if own is None or other is None else other / own

    @property
    def reuse_ratio(self) -> float | None:
        return self._ratio("reuse", "torch_reuse")

    @property
    def allocate_ratio(self) -> float | None:
        return self._ratio("allocate", "torch_allocate")

    @property
    def in_place_ratio(self) -> float | None:
        return self._ratio("in_place", "torch_in_place")

    def peer_ratio(self, peer: str) -> float | None:
        return self._ratio("reuse" if peer == "onednn" else "allocate", peer)

    def ratio(self, regime: Regime) -> float | None:
        """One figure per row: quiet, the mean of a result that is reused and of a new one."""
        if regime == "in-place":
            return self.in_place_ratio
        return geometric_mean(value for value in (self.reuse_ratio, self.allocate_ratio) if value is not None)

    @property
    def loses(self) -> list[Regime]:
        ratios = {regime: self.ratio(regime) for regime in REGIMES}
        return [regime for regime, ratio in ratios.items() if ratio is not None and ratio < 1]

    def as_json(self) -> dict[str, Any]:
        return {"row": self.row.label, "seconds": dict(self.seconds)}


@dataclass(frozen=True)
class OverheadResult:
    """Seconds per tiny call: ours on NumPy arrays and on PyTorch tensors, PyTorch's own operator."""

    case: str
    numpy: float
    tensors: float | None
    pytorch: float | None


@dataclass(frozen=True)
class MemoryResult:
    """Bytes on top of the tensors at the peak of one call with `out=`; None where it cannot be measured."""

    case: str
    tensors: int
    ours: int | None
    pytorch: int | None


@dataclass
class Report:
    environment: dict[str, str]
    selected: str = ""  # which rows these are, in words
    rows: list[RowResult] = field(default_factory=list)
    overhead: list[OverheadResult] = field(default_factory=list)
    memory: list[MemoryResult] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)  # rows that gave a wrong result or none

    def as_json(self) -> dict[str, Any]:
        return {
            "environment": self.environment,
            "selected": self.selected,
            "rows": [row.as_json() for row in self.rows],
            "overhead": [asdict(line) for line in self.overhead],
            "memory": [asdict(line) for line in self.memory],
            "failures": self.failures,
        }


def known_rows(data: Mapping[str, Any], environment: Mapping[str, str], rows: Iterable[Row]) -> list[RowResult]:
    """Those of an earlier run, which must have been made with the same library on the same machine."""
    if data["environment"] != environment:
        raise ValueError(
            f"measured with {data['environment']}, expected {dict(environment)}: figures of two set-ups do not mix; "
            "measure into another file"
        )
    by_label = {row.label: row for row in rows}
    return [RowResult(by_label[row["row"]], dict(row["seconds"])) for row in data["rows"] if row["row"] in by_label]


def geometric_mean(values: Iterable[float]) -> float | None:
    logarithms = [math.log(value) for value in values]
    return math.exp(sum(logarithms) / len(logarithms)) if logarithms else None
