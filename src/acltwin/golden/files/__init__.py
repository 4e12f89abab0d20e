"""Cases and results on disk: tensors, sets with a manifest, vendors' formats.

Here is which cases are meant by a word: an operator, a directory of cases, or a file that describes some.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acltwin.golden.cases.case import Case
from acltwin.golden.cases.cases import MAX_BYTES, all_dtypes, cases, described, selected
from acltwin.golden.cases.checked import json_object_of, json_of, text_of
from acltwin.golden.cases.family import Level
from acltwin.golden.files import manifest, vendor
from acltwin.ops import OPERATORS

VENDOR_FILES = (".csv", ".xlsx", ".json")
YAML = (".yaml", ".yml")


@dataclass(frozen=True)
class Choice(vendor.Options):
    """What is chosen of them, and how they are read."""

    level: Level = "default"
    dtypes: tuple[str, ...] = ()  # none: all of them
    only: tuple[str, ...] = ()  # names, or how they begin


def chosen_cases(words: Sequence[str], choice: Choice) -> list[Case]:
    """ValueError, with what is wrong, if a word is none of them."""
    found = [case for word in words for case in _named(word, choice)]
    if choice.dtypes:
        found = [case for case in found if case.dtype in choice.dtypes]
    return selected(found, choice.only)


def _named(word: str, choice: Choice) -> list[Case]:
    path = Path(word)
    if path.is_dir():
        known = (path / manifest.NAME).exists()
        return manifest.load(path, choice.max_bytes).cases if known else vendor.read(path, choice)
    if path.is_file():
        return _from_file(path, choice)
    if path.suffix in (*VENDOR_FILES, *YAML):
        raise ValueError(f"there is no file {word}")
    names = OPERATORS if word == "all" else (word,)
    return [
        case
        for name in names
        if (dtypes := _asked_of(name, choice.dtypes) if word == "all" else choice.dtypes) or not choice.dtypes
        for case in cases(
            name,
            level=choice.level,
            dtypes=dtypes or None,
            seed=choice.seed,
            fills=choice.fills,
            map_rule=choice.map_rule,
            max_bytes=choice.max_bytes,
        )
    ]


def _asked_of(name: str, dtypes: Sequence[str]) -> tuple[str, ...]:
    """Among all operators, one is not asked for dtypes that only others have."""
    others = {dtype for spec in OPERATORS.values() for dtype in all_dtypes(spec)} - {*all_dtypes(OPERATORS[name])}
    return tuple(dtype for dtype in dtypes if dtype not in others)


def _from_file(path: Path, choice: Choice) -> list[Case]:
    if manifest.is_manifest(path):
        return manifest.load(path, choice.max_bytes).cases
    if is_description(path):
        return read_description(path, seed=choice.seed, map_rule=choice.map_rule, max_bytes=choice.max_bytes)
    if path.suffix in VENDOR_FILES:
        return vendor.read(path, choice)
    raise ValueError(
        f"{path} is not a file of cases; expected a manifest, a .yaml description, or a vendor's .json or .csv"
    )


# ---- descriptions ----


def is_description(path: Path) -> bool:
    return path.suffix in YAML or "operator" in json_object_of(path)


def read_description(path: Path, *, seed: int = 0, map_rule: str = "device", max_bytes: int = MAX_BYTES) -> list[Case]:
    """ValueError, with the place, for anything that is not a description."""
    content = _yaml(path) if path.suffix in YAML else json_of(path)
    return described(content, str(path), seed=seed, map_rule=map_rule, max_bytes=max_bytes)


def _yaml(path: Path) -> Any:
    try:
        import yaml
    except ImportError as error:
        raise ValueError(f"reading {path} needs PyYAML: pip install PyYAML, or write it as JSON") from error
    try:
        return yaml.safe_load(text_of(path))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise ValueError(f"{path} is not YAML: {' '.join(str(error).split())}; correct it") from error
