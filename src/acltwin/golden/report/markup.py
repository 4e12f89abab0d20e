"""HTML that is escaped by construction: only ``element`` makes markup, and everything else is text."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

_VOID = ("br", "img", "input", "meta")


class Html(str):
    """Markup. Plain text becomes part of it as ``element``'s content or attribute, and is escaped there."""

    __slots__ = ()


def element(name: str, *content: str, **attributes: str | int | bool) -> Html:
    """``element("td", text, class_="number", data_value=3)``; True is an attribute without a value, False none."""
    words = [name]
    for key, value in attributes.items():
        word = key.rstrip("_").replace("_", "-")
        if value is True:
            words.append(word)
        elif value is not False:
            words.append(f'{word}="{escape(str(value))}"')
    start = f"<{' '.join(words)}>"
    return Html(start) if name in _VOID else Html(f"{start}{joined(content)}</{name}>")


def joined(parts: Iterable[str]) -> Html:
    return Html("".join(part if isinstance(part, Html) else escape(part) for part in parts))
