"""Text and JSON from files of any origin: what is wrong with them is said with their names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

LARGEST_FILE = 256 * 2**20


def text_of(path: Path) -> str:
    """The text of a file; ValueError if it cannot be read, is too large, or is not UTF-8."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from error
    if len(content) > LARGEST_FILE:
        raise ValueError(f"{path} has more than {LARGEST_FILE} bytes; expected at most that: split it")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text at byte {error.start}; save it as UTF-8") from error


def json_of(path: Path) -> Any:
    """The content of a JSON file; ValueError if it is none."""
    text = text_of(path)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{path} is not JSON: {error.msg} in line {error.lineno}, column {error.colno}; is the file cut short?"
        ) from error
    except RecursionError as error:
        raise ValueError(f"{path} is nested too deeply to be read; expected what acltwin or a kit writes") from error
    except ValueError as error:
        raise ValueError(f"{path} has a number of thousands of digits; expected at most 64 bits") from error


def json_object_of(path: Path) -> dict[str, Any]:
    """The object that a .json file holds; an empty one if it is no such file."""
    if path.suffix != ".json":
        return {}
    try:
        content = json_of(path)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}
