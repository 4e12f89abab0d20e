"""HTML that is escaped by construction: only ``element`` makes markup, everything else is text. And its style."""

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


# ---- how it looks, and what it does ----


CSS = """
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #57606a; --line: #d0d7de; --paper: #fff; --soft: #f6f8fa;
  --good: #1a7f37; --bad: #b42318; --warn: #9a6700; --link: #0b57d0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --dim: #9da7b3; --line: #373e47; --paper: #0f1318;
  --soft: #181d24; --good: #4ac26b; --bad: #ff7b72; --warn: #d4a72c; --link: #79b8ff; }
  .slice img, .map, .key i { filter: invert(.9) hue-rotate(180deg); } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 70rem; padding: 1rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; line-height: 1.25; margin: 0 0 .3rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 .6rem; border-bottom: 1px solid var(--line); padding-bottom: .2rem; }
h3 { font-size: 1rem; margin: 0; display: inline; }
code, pre, td.number { font: .86em/1.45 ui-monospace, monospace; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: .6rem; overflow-x: auto;
  white-space: pre-wrap; }
.verdict { border-left: 6px solid var(--bad); padding: .6rem 1rem; background: var(--soft);
  border-radius: 0 6px 6px 0; }
.verdict.passed { border-color: var(--good); }
.word { font-weight: 700; color: var(--bad); } .passed .word, .word.passed { color: var(--good); }
.dim { color: var(--dim); } .warn { color: var(--warn); }
.cause { font-size: 1.25rem; font-weight: 650; line-height: 1.35; margin: .4rem 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .25rem .5rem; border-bottom: 1px solid var(--line); }
th { overflow-wrap: normal; } td.place { white-space: nowrap; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: .3rem 1rem; margin: .6rem 0; }
dt { font-size: .8rem; color: var(--dim); } dd { margin: 0; }
th[data-sort] { cursor: pointer; } th[data-sort]::after { content: " \\2195"; color: var(--dim); }
td.number, th.number { text-align: right; } td.number { white-space: nowrap; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .6rem 0; padding: .5rem .8rem; }
summary { cursor: pointer; }
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .8rem; margin: .6rem 0;
  max-width: 48rem; }
figure { margin: 0; } figcaption { font-size: .85rem; color: var(--dim); }
.drawn { position: relative; } .slice[hidden] { display: none; }
.slice img, .map { width: 100%; image-rendering: pixelated; border: 1px solid var(--line); display: block; }
.mark { position: absolute; border: 2px solid #000; outline: 2px solid #fff; pointer-events: none; }
.map { max-width: 56rem; min-height: 10rem; }
.cases td { white-space: nowrap; } .cases td.worst { white-space: normal; min-width: 14rem; }
.key span { white-space: nowrap; margin-right: .7em; } .cells { width: auto; }
.key i { display: inline-block; width: .9em; height: .9em; border: 1px solid var(--line); vertical-align: -.1em;
  margin-right: .3em; }
.halves { display: grid; grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr)); gap: .8rem; max-width: 60rem; }
.halves p { margin: 0; } .bars td { border: 0; padding: .1rem .5rem; } .wide { width: 50%; }
.bar { background: var(--bad); height: .8rem; min-width: 1px; }
input[type=range] { width: 100%; max-width: 48rem; }
@media (max-width: 40rem) {
  .cells th, .cells td { padding: .2rem .25rem; font-size: .75rem; }
  .cases thead { display: none; } .cases tr { display: block; border-bottom: 1px solid var(--line); padding: .3rem 0; }
  .cases td, .cases td.number { display: block; border: 0; padding: 0 .2rem; white-space: normal; text-align: left; }
  .cases td[data-label]::before { content: attr(data-label) " "; color: var(--dim); } }
@media print { details { break-inside: avoid; } input { display: none; } body { max-width: none; } }
"""

SCRIPT = """
for (const slider of document.querySelectorAll("input[type=range]")) {
  slider.hidden = false;
  slider.addEventListener("input", () => {
    for (const slice of slider.closest("details").querySelectorAll(".slice"))
      slice.hidden = slice.dataset.at !== slider.value;
  });
}
for (const head of document.querySelectorAll("th[data-sort]")) head.addEventListener("click", () => {
  const body = head.closest("table").tBodies[0], column = head.cellIndex;
  const down = head.dataset.down = head.dataset.down === "1" ? "" : "1";
  const key = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
  const compare = (a, b) => head.dataset.sort === "number" ? key(a) - key(b) : key(a).localeCompare(key(b));
  [...body.rows].sort((a, b) => (down ? compare(b, a) : compare(a, b))).forEach((row) => body.append(row));
});
"""
