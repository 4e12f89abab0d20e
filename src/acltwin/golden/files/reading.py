"""Text and JSON from files of any origin: what is wrong with them is said with their names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

LARGEST_FILE = 256 * 2**20


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
    """The content of a JSON file; ValueError if it is none."""
    try:
        return json.loads(text_of(path))
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{path} is not JSON: {error.msg} in line {error.lineno}, column {error.colno}; is the file cut short?"
        ) from error
    except RecursionError as error:
        raise ValueError(f"{path} is nested too deeply to be read") from error


def json_object_of(path: Path) -> dict[str, Any]:
    """The object that a .json file holds; an empty one if it is no such file."""
    if path.suffix != ".json":
        return {}
    try:
        content = json_of(path)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def short(value: Any) -> str:
    """For messages."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
