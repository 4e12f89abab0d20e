"""JSON of any origin as our own types: every value is checked against the annotation of the field that it is for.

Whole numbers are at most 64 bits long unless ``Annotated`` with ``Between`` says less; text is as it is, or ``Name``.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

Makers = Mapping[Any, Callable[[Any, str], Any]]
"""How to make what is no dataclass: from a value and its place."""


@dataclass(frozen=True)
class Between:
    low: int
    high: int


@dataclass(frozen=True)
class Form:
    pattern: str
    words: str


LARGEST = 2**63 - 1
Count = Annotated[int, Between(0, LARGEST)]
Size = Annotated[int, Between(1, 2**31 - 1)]
Name = Annotated[str, Form(r"[^\x00-\x1f\x7f\ud800-\udfff]+", "text without control characters")]
Digest = Annotated[str, Form(r"[0-9a-f]{64}", "64 hexadecimal digits")]
Value = bool | int | float | str | None | tuple[int | float | None, ...]
"""An argument of an operator."""

_FLOATS = {"inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}  # as ``tensors.plain`` writes them
_WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text", NoneType: "null"}


def checked(kind: Any, value: Any, where: str, makers: Makers | None = None, without: tuple[str, ...] = ()) -> Any:
    """The value as a ``kind``; ValueError, with the place and what was expected there, if it is none.

    Fields ``without`` are not read: they keep their defaults. Keys that are no fields are left alone.
    """
    makers = makers or {}
    origin, parts = get_origin(kind), get_args(kind)
    maker = makers.get(origin or kind)
    if maker is not None:
        return maker(value, where)
    if kind in (Any, object):
        return value
    if dataclasses.is_dataclass(kind):
        return _dataclass(kind, value, where, makers, without)
    if origin is Annotated:
        return _within(checked(parts[0], value, where), parts[1], where)
    if origin is Literal:
        if not isinstance(value, str | int) or value not in parts:
            raise _unexpected(value, where, f"one of {', '.join(map(str, parts))}")
        return value
    if origin in (Union, UnionType):
        return _one_of(parts, value, where, makers)
    if origin in (tuple, list):
        items = _list(value, where)
        return origin(checked(parts[0], one, f"{where} [{number}]", makers) for number, one in enumerate(items))
    if origin in (dict, Mapping):
        return {key: checked(parts[1], one, f"{where}, {short(key)}", makers) for key, one in _object(value, where)}
    return _plain(kind, value, where)


def _dataclass(kind: Any, value: Any, where: str, makers: Makers, without: tuple[str, ...]) -> Any:
    given = dict(_object(value, where))
    hints = _hints(kind, tuple(makers))
    found = {}
    for part in dataclasses.fields(kind):
        if part.name in given and part.name not in without:
            found[part.name] = checked(hints[part.name], given[part.name], f"{where}, {part.name}", makers)
        elif part.default is dataclasses.MISSING and part.default_factory is dataclasses.MISSING:
            raise ValueError(f"{where} has no {part.name!r}")
    return kind(**found)


@cache
def _hints(kind: Any, made: tuple[Any, ...]) -> dict[str, Any]:
    """Annotations may name what is ``made`` without importing it."""
    return get_type_hints(kind, localns={one.__name__: one for one in made}, include_extras=True)


def _one_of(kinds: tuple[Any, ...], value: Any, where: str, makers: Makers) -> Any:
    for kind in kinds:
        if kind is NoneType and value is None:
            return None
    others = [kind for kind in kinds if kind is not NoneType]
    if len(others) == 1:
        return checked(others[0], value, where, makers)
    for kind in others:
        try:
            return checked(kind, value, where, makers)
        except ValueError:
            continue
    raise _unexpected(value, where, " or ".join(_WORDS.get(kind, "a list of numbers") for kind in kinds))


def _within(value: Any, limits: Between | Form, where: str) -> Any:
    if isinstance(limits, Between) and not limits.low <= value <= limits.high:
        upper = f" and at most {limits.high}" if limits.high < LARGEST else ""
        raise _unexpected(value, where, f"at least {limits.low}{upper}")
    if isinstance(limits, Form) and not re.fullmatch(limits.pattern, value):
        raise _unexpected(value, where, limits.words)
    return value


def _plain(kind: Any, value: Any, where: str) -> Any:
    if kind is float and isinstance(value, str) and value in _FLOATS:
        return _FLOATS[value]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if kind is float and is_number and abs(value) <= LARGEST:
        return float(value)
    if kind is int and is_number and isinstance(value, int) and abs(value) <= LARGEST:
        return value
    if kind is float and isinstance(value, float):
        return value
    if kind in (bool, str, NoneType) and isinstance(value, kind):
        return value
    raise _unexpected(value, where, _WORDS[kind])


def _list(value: Any, where: str) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise _unexpected(value, where, "a list")
    return value


def _object(value: Any, where: str) -> Any:
    if not isinstance(value, Mapping):
        raise _unexpected(value, where, "an object")
    return value.items()


def _unexpected(value: Any, where: str, expected: str) -> ValueError:
    return ValueError(f"{where} is {short(value)}; expected {expected}")


def short(value: Any) -> str:
    """For messages: one line of plain text."""
    try:
        text = repr(value)
    except ValueError:  # Python does not write numbers of thousands of digits
        text = "a number of thousands of digits"
    return text if len(text) <= 80 else f"{text[:77]}..."


# ---- text and JSON from files of any origin: what is wrong with them is said with their names ----

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
