"""What a run found, and what follows from it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from bench.goals import Goal, goal_of
from bench.grid import Row, full_rows


@dataclass(frozen=True)
class RowResult:
    """Seconds per call; None where a library is not installed or has no such call."""

    row: Row
    reuse: float
    allocate: float
    limit: float
    torch_reuse: float | None = None
    torch_allocate: float | None = None
    others: dict[str, float] = field(default_factory=dict)  # "JAX", "NumPy": new results

    @property
    def goal(self) -> Goal:
        return goal_of(self.row)

    @property
    def reuse_ratio(self) -> float | None:
        return None if self.torch_reuse is None else self.torch_reuse / self.reuse

    @property
    def allocate_ratio(self) -> float | None:
        return None if self.torch_allocate is None else self.torch_allocate / self.allocate

    @property
    def ratios(self) -> list[float]:
        return [ratio for ratio in (self.reuse_ratio, self.allocate_ratio) if ratio is not None]

    @property
    def percent(self) -> float:
        return 100 * self.limit / self.reuse

    @property
    def missed(self) -> list[str]:
        """What falls short of the goal; empty when the goal is reached."""
        goal = self.goal
        parts = (
            ("reuse", self.reuse_ratio, goal.reuse, "x"),
            ("allocate", self.allocate_ratio, goal.allocate, "x"),
            ("limit", self.percent, goal.percent, " %"),
        )
        return [
            f"{name} {got:.3g}{unit} of {wanted:g}{unit}"
            for name, got, wanted, unit in parts
            if got is not None and wanted is not None and got < wanted
        ]

    def as_json(self) -> dict[str, Any]:
        goal = self.goal
        return {
            "row": self.row.label,
            "case": asdict(self.row.case),
            "threads": self.row.threads,
            "seconds": {
                "reuse": self.reuse,
                "allocate": self.allocate,
                "limit": self.limit,
                "torch_reuse": self.torch_reuse,
                "torch_allocate": self.torch_allocate,
                **self.others,
            },
            "reuse_ratio": self.reuse_ratio,
            "allocate_ratio": self.allocate_ratio,
            "percent_of_limit": self.percent,
            "goal": {"rows": goal.rows, "reuse": goal.reuse, "allocate": goal.allocate, "percent": goal.percent},
            "missed": self.missed,
        }

    @staticmethod
    def from_json(data: Mapping[str, Any], rows: Mapping[str, Row]) -> RowResult:
        """The other way round; `rows` are those of the grid, by label."""
        seconds = dict(data["seconds"])
        own = {name: seconds.pop(name) for name in ("reuse", "allocate", "limit", "torch_reuse", "torch_allocate")}
        return RowResult(rows[data["row"]], **own, others=seconds)


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

    def ratios(self) -> list[float]:
        return [ratio for row in self.rows for ratio in row.ratios]

    def sort_rows(self) -> None:
        """In the order of the grid, whatever order they were measured in."""
        order = {row.label: place for place, row in enumerate(full_rows())}
        self.rows.sort(key=lambda result: order[result.row.label])

    def as_json(self) -> dict[str, Any]:
        return {
            "environment": self.environment,
            "geometric_mean": geometric_mean(self.ratios()),
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
