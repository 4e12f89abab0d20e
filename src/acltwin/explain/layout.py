"""How explanations are set on a terminal."""

from __future__ import annotations

import textwrap

WIDTH = 100


def wrapped(text: str, label: str = "") -> str:
    return textwrap.fill(text, WIDTH, initial_indent=label, subsequent_indent=" " * len(label), break_on_hyphens=False)


def indented(lines: str) -> str:
    return textwrap.indent(lines.rstrip(), "    ")
