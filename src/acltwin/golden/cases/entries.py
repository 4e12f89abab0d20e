"""Reading the entries of a description: sizes, with messages that say what was expected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def sizes(entry: Mapping[str, Any], key: str, counts: tuple[int, ...], where: str) -> tuple[int, ...]:
    """A list of whole numbers above 0, as many as ``counts`` allows."""
    value = entry.get(key)
    if value is None:
        raise ValueError(f"{where} has no {key}")
    whole = isinstance(value, list | tuple) and all(isinstance(item, int) and item > 0 for item in value)
    if not whole or len(value) not in counts:
        wanted = " or ".join(map(str, counts))
        raise ValueError(f"{where}: {key} is {value!r}; expected {wanted} whole numbers above 0")
    return tuple(value)


def per_axis(entry: Mapping[str, Any], key: str, axes: int, otherwise: Any, where: str) -> tuple[Any, ...]:
    """One number for all axes, or one for each."""
    value = entry.get(key, otherwise)
    values = (value,) if isinstance(value, int | float) else tuple(value) if isinstance(value, list | tuple) else ()
    values = values * axes if len(values) == 1 else values
    if len(values) != axes or not all(isinstance(item, int | float) and item >= 0 for item in values):
        raise ValueError(f"{where}: {key} is {value!r}; expected one number, or {axes}, none of them below 0")
    return values


def known_keys(entry: Mapping[str, Any], keys: tuple[str, ...], where: str) -> None:
    unknown = [key for key in entry if key not in (*keys, "name", "C")]
    if unknown:
        raise ValueError(f"{where} has the unknown key {unknown[0]!r}; expected {', '.join(keys)}")
