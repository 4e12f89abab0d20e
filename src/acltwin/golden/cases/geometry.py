"""A geometry: sizes and parameters of one call, without dtype and data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Level = Literal["quick", "default", "full"]
LEVELS: tuple[Level, ...] = ("quick", "default", "full")


@dataclass(frozen=True)
class Geometry:
    """``source`` are the spatial sizes of the tensor whose values flow, ``result`` those of where they arrive."""

    name: str
    batch: tuple[int, ...]  # what stands before the spatial axes; minima, since coded planes may need more
    source: tuple[int, ...]
    result: tuple[int, ...]
    spans: tuple[int, ...]  # along each axis, the most cells of the source that one cell of the result adds
    parameters: Mapping[str, Any] = field(default_factory=dict)  # arguments that depend on neither batch nor sizes
    data_format: str = ""  # empty: the operator's default
    level: Level = "default"  # the lowest level it belongs to
    finds: tuple[str, ...] = ()

    @property
    def terms(self) -> int:
        """The most values that any cell of the result adds."""
        return math.prod(self.spans)

    def belongs_to(self, level: Level) -> bool:
        return LEVELS.index(self.level) <= LEVELS.index(level)
