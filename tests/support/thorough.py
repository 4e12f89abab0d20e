"""Whether the tests look longer than a merge can wait: ``make thorough`` sets the variable, before releases."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

THOROUGH = os.environ.get("TESTS_THOROUGH") == "1"
T = TypeVar("T")


def a_third_of(calls: Sequence[T]) -> Sequence[T]:
    """Every third one, or all. Of pairs of sizes up to LONGEST, each size remains with a third of the others."""
    return calls if THOROUGH else calls[::3]
