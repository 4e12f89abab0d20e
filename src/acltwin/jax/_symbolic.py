"""Sizes that are not known yet: ``jax.export`` traces with symbols, the library's checks want numbers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any


def is_symbol(size: Any) -> bool:
    """There are none unless the program has imported ``jax.export``, whose import is not free."""
    export = sys.modules.get("jax.export")
    return export is not None and bool(export.is_symbolic_dim(size))


class StandIns:
    """A number for every symbol of one call: equal ones for equal symbols, different ones for different symbols."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}

    def numbers(self, sizes: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(self._number(size) if is_symbol(size) else size for size in sizes)

    def _number(self, symbol: Any) -> int:
        return self._numbers.setdefault(symbol, 1_000_003 + len(self._numbers))

    def named(self, text: str) -> str:
        """A text about the numbers as one about the symbols."""
        for symbol, number in self._numbers.items():
            text = text.replace(str(number), str(symbol))
        return text
