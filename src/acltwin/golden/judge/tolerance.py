"""A relative and an absolute tolerance, and how many elements may miss them: what some vendors' rules compare by."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tolerance:
    rtol: float
    misses: float  # the share of the elements that may be anything
    atol: float = 1e-8

    @staticmethod
    def of(dtype: str) -> Tolerance:
        """Where nobody asks for another."""
        usual = 1e-3 if dtype in ("float16", "bfloat16") else 1e-4
        return Tolerance(usual, usual)
