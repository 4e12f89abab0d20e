"""Golden's own cases, without those whose size is all that they add."""

from __future__ import annotations

from collections.abc import Sequence

from acltwin import golden
from acltwin.golden.cases.family import Level
from support.thorough import THOROUGH

SMALL, MEDIUM = 1 << 14, 1 << 16
"""Bytes of a case: SMALL has every geometry that tells mistakes apart, MEDIUM planes of some thousand cells as well."""


def small_cases(
    operator: str, level: Level = "default", dtypes: Sequence[str] = (), most: int = SMALL
) -> list[golden.Case]:
    """In float16 unless told, which has every kind of data. ``make thorough`` has cases of any size."""
    limit = {} if THOROUGH else {"max_bytes": most}
    return golden.cases(operator, level=level, dtypes=dtypes or ("float16",), **limit)
