"""Just enough SVG for the pictures: shapes on a light card, so that they read well on light and dark pages."""

from __future__ import annotations

from typing import NamedTuple
from xml.sax.saxutils import escape


class Colour(NamedTuple):
    fill: str
    line: str


# Told apart by people with the common kinds of colour blindness, neighbours most of all.
COLOURS = (
    Colour("#a9d3f0", "#1f6ea8"),
    Colour("#ffd6a3", "#b35d0a"),
    Colour("#b9e2ac", "#3a7f2e"),
    Colour("#f2bdd6", "#a83273"),
    Colour("#d3c6ee", "#6446a5"),
    Colour("#fff0a0", "#8a7400"),
)
PLAIN = Colour("#eef1f4", "#8b949e")
INK = "#1f2328"
SOFT_INK = "#57606a"
WARNING = "#b42318"

HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img"
     font-family="system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', Arial, sans-serif">
<title>{title}</title>
<!-- made by docs/pictures.py -->
<style>@media (prefers-color-scheme: dark) {{ svg {{ filter: invert(0.9) hue-rotate(180deg); }} }}</style>
<defs>
<pattern id="dropped" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<rect width="7" height="7" fill="#ffffff"/><line x1="0" y1="0" x2="0" y2="7" stroke="#c9ced4" stroke-width="3"/>
</pattern>
</defs>
<rect x="0.5" y="0.5" width="{inner_width}" height="{inner_height}" rx="10" fill="#ffffff" stroke="#d0d7de"/>
"""


def number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


class Drawing:
    """Elements in the order in which they are painted."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self.width, self.height, self.title = width, height, title
        self._elements: list[str] = []

    def add(self, tag: str, content: str | None = None, **attributes: float | str) -> None:
        words = [tag]
        for name, value in attributes.items():
            text = value if isinstance(value, str) else number(value)
            words.append(f'{name.rstrip("_").replace("_", "-")}="{escape(text)}"')
        self._elements.append(f"<{' '.join(words)}/>" if content is None else f"<{' '.join(words)}>{content}</{tag}>")

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        size: float = 13,
        colour: str = INK,
        anchor: str = "start",
        bold: bool = False,
    ) -> None:
        weight = {"font_weight": "600"} if bold else {}
        self.add("text", escape(words), x=x, y=y, font_size=size, fill=colour, text_anchor=anchor, **weight)

    def cell(self, x: float, y: float, width: float, height: float, colour: Colour, words: str = "") -> None:
        self.add("rect", x=x, y=y, width=width, height=height, fill=colour.fill, stroke=colour.line, stroke_width=1.2)
        if words:
            self.text(x + width / 2, y + height / 2 + 4.5, words, anchor="middle")

    def dropped_cell(self, x: float, y: float, width: float, height: float, words: str) -> None:
        self.cell(x, y, width, height, Colour("url(#dropped)", PLAIN.line))
        self.text(x + width / 2, y + height / 2 + 4.5, words, anchor="middle", colour=WARNING, bold=True)

    def frame(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        self.add("rect", x=x, y=y, width=width, height=height, fill="none", stroke=colour, stroke_width=2.2)

    def arrow(self, x1: float, y1: float, x2: float, y2: float, colour: str) -> None:
        """A curve that leaves downwards and arrives downwards."""
        bend = (y2 - y1) * 0.45
        path = " ".join(map(number, (x1, y1))), " ".join(map(number, (x1, y1 + bend, x2, y2 - bend, x2, y2 - 6)))
        self.add("path", d=f"M{path[0]} C{path[1]}", fill="none", stroke=colour, stroke_width=1.8)
        corners = (x2, y2), (x2 - 4.2, y2 - 8), (x2 + 4.2, y2 - 8)
        self.add("polygon", points=" ".join(f"{number(x)},{number(y)}" for x, y in corners), fill=colour)

    def dot(self, x: float, y: float, colour: str) -> None:
        self.add("circle", cx=x, cy=y, r=3.2, fill=colour)

    def render(self) -> str:
        size = {"width": self.width, "height": self.height}
        inner = {"inner_width": self.width - 1, "inner_height": self.height - 1}
        head = HEAD.format(title=escape(self.title), **size, **inner)
        return head + "\n".join(self._elements) + "\n</svg>\n"
