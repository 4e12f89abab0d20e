"""The operators that golden judges: those whose family has a record of cases."""

from __future__ import annotations

from collections.abc import Mapping

from acltwin.ops import OPERATORS as ALL
from acltwin.ops import OpSpec

WITHOUT_CASES: tuple[str, ...] = ("masked_pool",)
"""Families whose operators are computed, and not judged yet."""
WEIGHTED = ("average", "linear")
"""Families whose results are weighted sums."""

OPERATORS: Mapping[str, OpSpec] = {name: spec for name, spec in ALL.items() if spec.family not in WITHOUT_CASES}
LEFT_OUT = tuple(name for name in ALL if name not in OPERATORS)
