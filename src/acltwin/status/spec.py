"""How a status code is declared."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Status:
    """One status code. ``example`` is a small session that ends with it; empty where none can be had at will."""

    code: int
    name: str
    what: str  # one sentence
    story: str  # when it comes, here and on the device
    fix: str
    example: str
