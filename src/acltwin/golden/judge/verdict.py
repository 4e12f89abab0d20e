"""What was found out about one output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from acltwin.golden.judge.decode import Source

Index = tuple[int, ...]


@dataclass(frozen=True)
class Census:
    """Every cell of the output, counted."""

    cells: int = 0
    wrong: int = 0
    not_judged: int = 0  # overflow on the way depends on the order of the additions
    nan_expected: int = 0
    nan_found: int = 0
    inf_expected: int = 0
    inf_found: int = 0
    largest_error: float = 0.0  # |found - expected| over finite cells
    largest_ulps: float = 0.0  # the same in units of the last place of the expected value
    zero_instead: int = 0  # wrong cells that are 0


@dataclass(frozen=True)
class Cell:
    """One wrong cell. ``low`` to ``high`` is what a right kernel can return."""

    index: Index
    result: int  # of several results, which
    expected: float
    low: float
    high: float
    found: float
    ulps: float


@dataclass(frozen=True)
class Sources:
    """What the decoder found of one wrong cell: its place in the plane, and the sources that are too many or lost."""

    plane: Index
    cell: Index
    terms: int  # expected number of sources
    wrong: tuple[Source, ...]
    is_copy: bool = False  # of one cell, not a sum


@dataclass(frozen=True)
class Verdict:
    """``problem`` is set where there was nothing to compare: a refusal, a crash, another shape.

    ``status`` is "passed", "failed", or "error" (the target could not be run).
    """

    case: str
    operator: str
    rule: str
    status: str
    census: Census = field(default_factory=Census)
    worst: tuple[Cell, ...] = ()
    sources: tuple[Sources, ...] = ()
    decoded: int = 0  # wrong cells whose sources are known
    undecoded: int = 0
    problem: str | None = None
    detail: str = ""  # of a vendor's rule: the figures it compared
    options: Mapping[str, Any] = field(default_factory=dict)
    bound_wrong: int | None = None  # under another rule: cells that no float32 sum can give
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # what is worth knowing and no fault

    @property
    def passed(self) -> bool:
        return self.status == "passed"

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Verdict:
        cells = [Cell(**{**_numbers(cell), "index": tuple(cell["index"])}) for cell in data["worst"]]
        return Verdict(
            **{
                **data,
                "census": Census(**_numbers(data["census"])),
                "worst": tuple(cells),
                "sources": tuple(_sources(found) for found in data["sources"]),
                "warnings": tuple(data["warnings"]),
                "notes": tuple(data.get("notes", ())),
            }
        )

    def text(self) -> str:
        """Census, cells and sources, for people."""
        from acltwin.golden.judge.text import verdict_text

        return verdict_text(self)


def _numbers(data: Mapping[str, Any]) -> dict[str, Any]:
    """With the numbers that JSON lacks."""
    return {name: float(value) if isinstance(value, str) else value for name, value in data.items()}


def _sources(data: Mapping[str, Any]) -> Sources:
    wrong = tuple(Source(tuple(one["index"]), one["error"], one["documented"]) for one in data["wrong"])
    return Sources(tuple(data["plane"]), tuple(data["cell"]), data["terms"], wrong, data["is_copy"])
