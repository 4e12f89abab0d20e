"""Docstrings of the functions on arrays, from templates."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acltwin.ops.families.family import Family

FORMAT = 'data_format: order of the axes of all tensors, which are {rank}-D for ``"{last}"``.'
INDEX_FORMAT = f"{FORMAT} Indices do not depend on it: cell {{cell}} has the index ``{{place}}``."
OUTSIDE = "IndexError: an index lies outside its plane; the message names its position and value."
OUT = "out: where to write the result, instead of a new array."
PAIR = "out: where to write the results, instead of new arrays: a pair of arrays."

_ENTRY = re.compile(r" {4}[A-Za-z][\w, ]*: ")  # an argument and what it is: further lines hang


def document(axes: Family, name: str, template: str, **words: object) -> str:
    """A docstring in the words of these axes and in further ones, which may contain others.

    Each paragraph and argument is filled again, examples stay.
    """
    words = {
        "name": name,
        "count": axes.count,
        "rank": 2 + axes.count,
        "names": axes.names,
        "plane": axes.plane,
        "shapes": axes.shapes,
        "last": axes.orders[1],
        "cell": axes.names.lower(),
        "place": {"DHW": "(d * H + h) * W + w", "HW": "h * W + w", "L": "l"}[axes.axes],
        "ones": ", ".join(["1"] * (1 + axes.count)),  # the sizes before the last one
        "two": axes.cut(1, 1, 2),
        "three": axes.cut(1, 1, 3),
        "four": axes.cut(1, 1, 4),
        "floats": "float32, float16, bfloat16 (summed in float32) or float64",
        "out": OUT,
        **words,
    }
    text, mark, example = template.format(**words).format(**words).partition(">>> ")
    return "\n".join(_filled(text.split("\n"))) + mark + example


def _filled(lines: list[str]) -> list[str]:
    filled: list[str] = []
    paragraph: list[str] = []
    for line in [*lines, ""]:
        if paragraph and (not line.strip() or _ENTRY.match(line)):
            indent = re.match(" *", paragraph[0])[0]  # type: ignore[index]
            hanging = indent + "    " * bool(_ENTRY.match(paragraph[0]))
            text = " ".join(part.strip() for part in paragraph)
            filled += textwrap.wrap(text, 115, initial_indent=indent, subsequent_indent=hanging, break_long_words=False)
            paragraph = []
        if line.strip():
            paragraph.append(line)
        else:
            filled.append("")
        if line in ("Args:", "Returns:", "Raises:"):
            filled.append(paragraph.pop())
    return filled[:-1]
