"""Text of vendors' files as values: literals and thresholds. Nothing is ever executed."""

from __future__ import annotations

import ast
import re
from typing import Any

from acltwin.golden.cases.checked import short

LONGEST = 1_000_000  # characters of one literal

_POWER = re.compile(r"\s*(\d{1,15}(?:\.\d{1,15})?)\s*\*\*\s*(-?\d{1,4})\s*")
_UNREADABLE = (ValueError, SyntaxError, TypeError, MemoryError, RecursionError)


def literal(text: str, where: str) -> Any:
    """A Python literal: numbers, text, tuples, lists, dictionaries, None; ValueError for anything else."""
    if len(text) > LONGEST:
        raise ValueError(f"{where} has {len(text)} characters; expected at most {LONGEST}: shorten it")
    try:
        return ast.literal_eval(text.strip())
    except _UNREADABLE as error:
        raise ValueError(
            f"{where} is {short(text)}; expected a Python literal like (1, 2) or {{'stride': [2]}}: "
            "names, calls and arithmetic are not executed, so write the value itself"
        ) from error


def threshold(value: Any, where: str) -> float:
    """A number, or text like ``2**-10`` or ``0.001``."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str):
        power = _POWER.fullmatch(value)
        try:
            return float(power[1]) ** int(power[2]) if power else float(value)
        except (ValueError, OverflowError, ZeroDivisionError):
            pass
    raise ValueError(f"{where} is {short(value)}; expected a number, or text like 2**-10")
