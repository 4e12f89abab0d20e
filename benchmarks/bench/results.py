"""What a run found, and what follows from it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from bench.goals import IN_PLACE, Goal, goal_of
from bench.grid import Row, full_rows

Regime = Literal["quiet", "in-place"]
REGIMES: dict[Regime, str] = {"quiet": "reuse", "in-place": "in_place"}
"""Each regime and a time that every row has once it is measured so."""


@dataclass(frozen=True)
class RowResult:
    """Seconds per call, by name; those of libraries that are not installed or have no such call are not there.

    Quiet: `reuse` and `allocate` (a new result), `limit`, `torch_reuse`, `torch_allocate`, and `NumPy` and `JAX`, with
    new results. In place: `in_place` and `torch_in_place`, both on tensors with new results.
    """

    row: Row
    seconds: Mapping[str, float]

    def lacks(self, regimes: Iterable[Regime]) -> list[Regime]:
        """What is still to be measured."""
        return [regime for regime in regimes if REGIMES[regime] not in self.seconds]

    def others(self) -> dict[str, float]:
        return {name: self.seconds[name] for name in ("JAX", "NumPy") if name in self.seconds}

    @property
    def goal(self) -> Goal:
        return goal_of(self.row)

    def _ratio(self, name: str) -> float | None:
        own, pytorch = self.seconds.get(name), self.seconds.get(f"torch_{name}")
        return None if own is None or pytorch is None else pytorch / own

    @property
    def reuse_ratio(self) -> float | None:
        return self._ratio("reuse")

    @property
    def allocate_ratio(self) -> float | None:
        return self._ratio("allocate")

    @property
    def in_place_ratio(self) -> float | None:
        return self._ratio("in_place")

    def ratios(self, regime: Regime) -> list[float]:
        found = (self.reuse_ratio, self.allocate_ratio) if regime == "quiet" else (self.in_place_ratio,)
        return [ratio for ratio in found if ratio is not None]

    @property
    def is_compared(self) -> bool:
        return any(self.ratios(regime) for regime in REGIMES)

    @property
    def percent(self) -> float | None:
        return 100 * self.seconds["limit"] / self.seconds["reuse"] if "limit" in self.seconds else None

    @property
    def missed(self) -> list[str]:
        """What falls short of the goal; empty when the goal is reached."""
        goal = self.goal
        parts = (
            ("reuse", self.reuse_ratio, goal.reuse, "x"),
            ("allocate", self.allocate_ratio, goal.allocate, "x"),
            ("in place", self.in_place_ratio, IN_PLACE, "x"),
            ("limit", self.percent, goal.percent, " %"),
        )
        return [
            f"{name} {got:.3g}{unit} of {wanted:g}{unit}"
            for name, got, wanted, unit in parts
            if got is not None and wanted is not None and got < wanted
        ]

    @property
    def verdict(self) -> str:
        return "; ".join(self.missed) or ("reached" if self.is_compared else "not compared")

    def as_json(self) -> dict[str, Any]:
        goal = self.goal
        return {
            "row": self.row.label,
            "case": asdict(self.row.case),
            "threads": self.row.threads,
            "seconds": dict(self.seconds),
            "reuse_ratio": self.reuse_ratio,
            "allocate_ratio": self.allocate_ratio,
            "in_place_ratio": self.in_place_ratio,
            "percent_of_limit": self.percent,
            "goal": {"rows": goal.rows, "reuse": goal.reuse, "allocate": goal.allocate, "percent": goal.percent},
            "missed": self.missed,
        }

    @staticmethod
    def from_json(data: Mapping[str, Any], rows: Mapping[str, Row]) -> RowResult:
        """The other way round; `rows` are those of the grid, by label."""
        return RowResult(rows[data["row"]], dict(data["seconds"]))


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
    rows: list[RowResult] = field(default_factory=list)
    overhead: list[OverheadResult] = field(default_factory=list)
    memory: list[MemoryResult] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)  # rows that gave a wrong result or none

    def ratios(self, regime: Regime) -> list[float]:
        return [ratio for row in self.rows for ratio in row.ratios(regime)]

    def sort_rows(self) -> None:
        """In the order of the grid, whatever order they were measured in."""
        order = {row.label: place for place, row in enumerate(full_rows())}
        self.rows.sort(key=lambda result: order[result.row.label])

    def as_json(self) -> dict[str, Any]:
        return {
            "environment": self.environment,
            "geometric_mean": {regime: geometric_mean(self.ratios(regime)) for regime in REGIMES},
            "rows": [row.as_json() for row in self.rows],
            "overhead": [asdict(line) for line in self.overhead],
            "memory": [asdict(line) for line in self.memory],
            "failures": self.failures,
        }


def rows_from_json(data: Mapping[str, Any], environment: Mapping[str, str]) -> list[RowResult]:
    """The rows of an earlier run, which must have been made with the same library on the same machine."""
    if data["environment"] != environment:
        raise ValueError(
            f"measured with {data['environment']}, expected {dict(environment)}: figures of two set-ups do not mix; "
            "measure into another file"
        )
    rows = {row.label: row for row in full_rows()}
    return [RowResult.from_json(row, rows) for row in data["rows"] if row["row"] in rows]


def geometric_mean(values: Iterable[float]) -> float | None:
    logarithms = [math.log(value) for value in values]
    return math.exp(sum(logarithms) / len(logarithms)) if logarithms else None
