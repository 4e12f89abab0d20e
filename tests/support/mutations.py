"""Files as a stranger, a broken disk or an attacker may leave them: real ones with something changed at random."""

from __future__ import annotations

import copy
import csv
import io
import json
import random
from typing import Any

SCRIPT = "<script>alert(1)</script>"
STRANGE: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    7,
    2**31,
    2**63,
    -(2**63) - 1,
    10**400,
    0.5,
    -0.0,
    1e308,
    float("nan"),
    float("inf"),
    float("-inf"),
    "",
    "nan",
    "inf",
    "0",
    "float32",
    "max_unpool3d",
    "upsample_nearest3d",
    "coded",
    "../../../etc/passwd",
    "/dev/zero",
    SCRIPT,
    "'\"><img src=x onerror=alert(1)>",
    "\x00\x1b[31m\u202e",
    "\ud800",
    "x" * 5000,
    [],
    {},
    [[]],
    [0],
    [-1],
    [1, 2, 3],
    [1, 2, 3, 4, 5],
    [2**31, 2**31, 2**31],
    [10**9] * 5,
    [SCRIPT],
    [None],
    ["a", 1],
    {"a": 1},
    {SCRIPT: SCRIPT},
    {"shape": [2**40], "dtype": "float64", "zlib": "AAAA"},
)
LITERALS = (
    *("", "()", "None", "1", "-1", "(1,)", "(-1,)", "((1,2,3,4),)", "((2147483648,)*4,)", "'float16'", "('float99',)"),
    *("{'outputSize': [0, 0]}", "{'outputSize': [2147483648, 2147483648]}", "{'outputSize': 7}", "{1: 2}", "exit()"),
    *("1e999", "(1e999, 2)", "(((((((())))))))", "(" * 500, "'\x00'", SCRIPT, "[[None]]", "(True, False)", "9" * 5000),
    *("\u202e", "=1+1", "((1,2,2147483647,2147483647),(1,2,4,5))", "(0.001, 'x')"),
    "{'inputSize': [1, 2, 4, 5], 'outputSize': ['a', 'b']}",
)


def changed(document: Any, chance: random.Random) -> Any:
    """A copy of a JSON document with one to three values changed, exchanged, doubled or lost."""
    made = [copy.deepcopy(document)]
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        holder, key = chance.choice(_places(made))
        kind = chance.random()
        if kind < 0.6:
            holder[key] = copy.deepcopy(chance.choice(STRANGE))
        elif kind < 0.75:
            other, name = chance.choice(_places(made))
            holder[key] = copy.deepcopy(other[name])
        elif kind < 0.9 and holder is not made:
            del holder[key]
        elif isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        else:
            holder[f"{key} "] = holder.pop(key)
    return made[0]


def _places(holder: Any) -> list[tuple[Any, Any]]:
    items = holder.items() if isinstance(holder, dict) else enumerate(holder) if isinstance(holder, list) else ()
    found = []
    for key, value in items:
        found += [(holder, key), *_places(value)]
    return found


def changed_table(text: str, chance: random.Random) -> str:
    """A table with a cell changed, or lost."""
    rows = list(csv.reader(io.StringIO(text)))
    for _ in range(chance.choice((1, 1, 2))):
        row = chance.choice(rows)
        place = chance.randrange(len(row))
        if chance.random() < 0.1:
            del row[place]
        elif chance.random() < 0.2:
            row[place] = chance.choice(chance.choice(rows) or [""])
        else:
            row[place] = chance.choice(LITERALS)
        if not row:
            row.append("")
    table = io.StringIO()
    csv.writer(table, lineterminator="\n").writerows(rows)
    return table.getvalue()


def damaged(content: bytes, chance: random.Random | None) -> bytes:
    """Bytes that are cut, changed, doubled or put elsewhere; as they are without ``chance``."""
    if chance is None:
        return content
    made = bytearray(content)
    start = chance.randrange(len(made))
    end = min(len(made), start + chance.choice((1, 2, 8, 100)))
    kind = chance.randrange(4)
    if kind == 0:
        del made[start:]
    elif kind == 1:
        made[start:end] = chance.randbytes(end - start)
    elif kind == 2:
        made[start:start] = made[start:end]
    else:
        del made[start:end]
    return bytes(made)


def written(document: Any, chance: random.Random | None) -> bytes:
    """A document, changed: mostly in its values, sometimes in its bytes; as it is without ``chance``."""
    if chance is None or chance.random() < 0.1:
        return damaged(json.dumps(document).encode(), chance)
    return json.dumps(changed(document, chance)).encode()
