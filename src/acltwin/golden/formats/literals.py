"""Text of vendors' files as values: literals and thresholds. Nothing is ever executed."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

LONGEST = 1_000_000  # characters of one literal
LARGEST_FILE = 256 * 2**20

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


def text_of(path: Path) -> str:
    """The text of a file; ValueError if it cannot be read, is too large, or is not UTF-8."""
    try:
        size = path.stat().st_size
        if size > LARGEST_FILE:
            raise ValueError(f"{path} has {size} bytes; expected at most {LARGEST_FILE}: split it")
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text at byte {error.start}; save it as UTF-8") from error


def json_of(path: Path) -> Any:
    """The content of a JSON file."""
    try:
        return json.loads(text_of(path))
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{path} is not JSON: {error.msg} in line {error.lineno}, column {error.colno}; is the file cut short?"
        ) from error
    except RecursionError as error:
        raise ValueError(f"{path} is nested too deeply; expected a list of cases") from error


def short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
