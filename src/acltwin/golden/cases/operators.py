"""The operators, and what some families have in common."""

from __future__ import annotations

from acltwin.ops import OPERATORS as OPERATORS

WEIGHTED = ("average", "linear")
"""Families whose results are weighted sums."""
