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


def document(
    axes: Family, template: str, *, format: str = "", out: str = OUT, raises: str = "", **words: object
) -> str:
    """A docstring from paragraphs: what the function does, its arguments, its result, an example.

    They contain words of these axes and further ones, which may contain others. ``format``, ``out`` and ``raises`` are
    what many functions have in common.
    """
    words = {
        "name": "{name}",  # whoever declares the operator knows it
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
        **words,
    }
    template += "".join(f"\n\n{common}" for common in (format, out))
    *intro, arguments, result, example, order, where = template.format(**words).format(**words).split("\n\n")
    entries = [*re.split(r"\n(?= {4}\w[\w, ]*: )", arguments), *filter(None, (order, where))]
    sections = [
        *map(_filled, intro),
        "\n".join(["Args:", *(_filled(entry, "    ", "        ") for entry in entries)]),
        f"Returns:\n{_filled(result, '    ', '    ')}",
        *([f"Raises:\n    {raises}"] if raises else []),
        f">>> import numpy as np\n{example.strip()}\n",
    ]
    return "\n\n".join(sections)


def _filled(text: str, first: str = "", others: str = "") -> str:
    text = " ".join(text.split())
    return textwrap.fill(text, 115, initial_indent=first, subsequent_indent=others, break_long_words=False)
