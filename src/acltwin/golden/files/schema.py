"""The manifest's schema: shipped as a file, and checked by the few words of JSON Schema that it uses."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

from acltwin.golden.cases.streams import SCHEMA
from acltwin.golden.files.reading import short

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


@cache
def schema() -> dict[str, Any]:
    text = files("acltwin.golden.files").joinpath("manifest.schema.json").read_text()
    content: dict[str, Any] = json.loads(text)
    return content


def check(content: Any, where: str = "the manifest") -> None:
    """ValueError that names the place and what was expected there. Unknown keys are allowed, newer versions are not."""
    version = content.get("schema") if isinstance(content, dict) else None
    if isinstance(version, str) and version.startswith("acltwin-golden/") and version != SCHEMA:
        raise ValueError(f"{where} has the schema {version}; this version reads {SCHEMA}: update acltwin")
    _check(content, schema(), where)


def _check(value: Any, rule: dict[str, Any], where: str) -> None:
    kinds = rule.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(_is(value, kind) for kind in kinds):
        raise ValueError(f"{where} is {short(value)}; expected {' or '.join(kinds)}")
    if "const" in rule and value != rule["const"]:
        raise ValueError(f"{where} is {short(value)}; expected {rule['const']!r}")
    if "enum" in rule and value not in rule["enum"]:
        raise ValueError(f"{where} is {short(value)}; expected one of {', '.join(map(str, rule['enum']))}")
    if "pattern" in rule and isinstance(value, str) and not re.search(rule["pattern"], value):
        raise ValueError(f"{where} is {short(value)}; expected the form {rule['pattern']}")
    if "minimum" in rule and isinstance(value, int) and value < rule["minimum"]:
        raise ValueError(f"{where} is {value}; expected at least {rule['minimum']}")
    if isinstance(value, dict):
        for name in rule.get("required", ()):
            if name not in value:
                raise ValueError(f"{where} has no {name!r}")
        for name, inner in rule.get("properties", {}).items():
            if name in value:
                _check(value[name], inner, f"{where}, {name}")
    if isinstance(value, list) and "items" in rule:
        for number, item in enumerate(value):
            _check(item, rule["items"], f"{where} [{number}]")


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _TYPES[kind])
