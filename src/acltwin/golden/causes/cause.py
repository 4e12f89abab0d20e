"""The cause of failures, as it is told to people and kept in records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Named:
    """A model, for people."""

    name: str
    cause: str  # its class of fault
    sentence: str
    documented: str = ""
    observed: str = ""
    note: str = ""
    cost: float = 1.0
    page: str = ""  # of the documentation, under golden/causes; of two mistakes both, with a space between


@dataclass(frozen=True)
class Cause:
    """``kind``: "known" (one model fits), "several", "nearest" (one fits almost), "unknown".

    ``explained`` of ``failing`` outputs are reproduced; ``agreeing`` of ``passing`` cases are not contradicted.
    """

    kind: str
    models: tuple[Named, ...] = ()
    failing: int = 0
    explained: int = 0
    passing: int = 0
    agreeing: int = 0
    evidence: tuple[str, ...] = ()
    apart: str = ""  # a case on which several models differ

    def __str__(self) -> str:
        """As the text of a run says it."""
        from acltwin.golden.report.text import cause_lines

        return "\n".join(line[8:] for line in cause_lines(self))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Cause:
        models = tuple(Named(**model) for model in data["models"])
        return Cause(**{**data, "models": models, "evidence": tuple(data["evidence"])})
