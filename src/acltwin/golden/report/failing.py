"""One failing case: its pictures, its errors by size, its worst cells and where their sources went."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.dtypes import Array, planes_first, sizes_first
from acltwin.golden.files.describe import data_are_gone, is_small
from acltwin.golden.judge.bound import Bound, error_of
from acltwin.golden.judge.judge import impossible_cells
from acltwin.golden.judge.verdict import Record, census_text, place, sources_text
from acltwin.golden.report.markup import Html, element, joined
from acltwin.golden.report.pictures import Bars, Map, Panel, error_bars, panels, source_map

if TYPE_CHECKING:
    from acltwin.golden.run.run import Run

KEY = (
    ("#b2182b", "positive"),
    ("#2166ac", "negative"),
    ("#c800c8", "NaN"),
    ("#141414", "infinite"),
    ("#e1e4e8", "right"),
)
MAP_KEY = (("#5a6e82", "as documented"), ("#ec971f", "lost"), ("#cb2431", "extra"), ("#2166ac", "with another weight"))


def failing_case(record: Record, is_open: bool) -> Html:
    verdict, case = record.verdict, record.case
    body = [element("p", verdict.problem or census_text(verdict))]
    if verdict.detail:
        body.append(element("p", verdict.detail, class_="dim"))
    arguments = ", ".join(f"{name} = {value}" for name, value in case.arguments.items())
    body.append(element("p", element("code", arguments), class_="dim"))
    body += [element("p", warning, class_="warn") for warning in verdict.warnings]
    body += [element("p", f"note: {note}", class_="dim") for note in verdict.notes]
    if record.output and verdict.worst and not verdict.problem:
        body += _pictures(record)
    if verdict.worst:
        body.append(_cells(record))
    if verdict.sources:
        lines = "\n".join(sources_text(found) for found in verdict.sources)
        more = verdict.decoded - len(verdict.sources)
        note = f"\n... and {more:,} cells more" if more > 0 else ""
        body += [element("p", "Sources of wrong cells, decoded:"), element("pre", lines + note)]
    title = element("summary", element("h3", case.name), " ", element("span", case.operator, class_="dim"))
    return element("details", title, *body, open=is_open)


def _pictures(record: Record) -> list[Html]:
    """Of the result that the worst cell belongs to; indices have no colours."""
    assert record.output is not None
    if data_are_gone(record.case):
        return [_no_pictures("its data came from a file, and the record does not hold them")]
    if not is_small(record.case):
        return [_no_pictures("the case is too large")]
    worst = record.verdict.worst[0]
    found, expected = record.output[0], record.case.expected()
    if worst.result != 0 or found.shape != expected.value.shape or not _lies_in(worst.index, found):
        return []
    wrong = impossible_cells(record.case, found, record.verdict.options)
    error = error_of(expected, Bound(**record.verdict.options))
    arranged = [planes_first(array, record.case.data_format) for array in (expected.value, found, error, wrong)]
    values, found, error, wrong = arranged
    index = sizes_first(worst.index, record.case.data_format)
    made = panels(values, found, wrong, index, len(record.case.spec.axes))
    parts = [element("div", *(_figure(panel) for panel in made), class_="panels")]
    sliders = len(made[0].slices)
    if sliders > 1:
        slider = element("input", type="range", hidden=True, min="0", max=str(sliders - 1), value=str(made[0].shown))
        parts.append(element("label", "slice along D ", slider))
    return [*parts, _key(KEY), _histograms(found, values, error, wrong)]


def _no_pictures(why: str) -> Html:
    return element("p", f"No pictures: {why}.", class_="dim")


def _lies_in(index: tuple[int, ...], array: Array) -> bool:
    return len(index) == array.ndim and all(at < size for at, size in zip(index, array.shape, strict=True))


def _key(colours: tuple[tuple[str, str], ...]) -> Html:
    parts = [element("span", element("i", style=f"background:{colour}"), name) for colour, name in colours]
    return element("p", *parts, class_="key dim")


def _figure(panel: Panel) -> Html:
    slices = []
    for number, one in enumerate(panel.slices):
        drawn = [element("img", src=one.url, alt=f"{panel.title} {one.label}".strip())]
        if one.mark:
            left, top, width, height = one.mark
            place = f"left:{left:.2f}%;top:{top:.2f}%;width:{width:.2f}%;height:{height:.2f}%"
            drawn.append(element("span", class_="mark", style=place))
        parts = (element("div", *drawn, class_="drawn"), element("span", one.label, class_="dim"))
        slices.append(element("div", *parts, class_="slice", data_at=str(number), hidden=number != panel.shown))
    return element("figure", element("figcaption", panel.title), *slices)


def _histograms(found: Array, expected: Array, bound: NDArray[np.float64], wrong: NDArray[np.bool_]) -> Html:
    by_ulp, by_bound = error_bars(found, expected, bound, wrong)
    parts = [_bars("in units of the last place", by_ulp)]
    if bound.any():
        parts.append(_bars("in units of E, the most that the order of the sums can explain", by_bound))
    return joined((element("p", "Wrong cells by the size of their error"), element("div", *parts, class_="halves")))


def _bars(title: str, rows: Bars) -> Html:
    shown = [(name, count) for name, count in rows if count]
    most = max((count for _, count in shown), default=1)
    bars = []
    for name, count in shown:
        bar = element("div", class_="bar", style=f"width:{100 * count / most:.1f}%")
        number = element("td", f"{count:,}", class_="number")
        bars.append(element("tr", element("td", name), number, element("td", bar, class_="wide")))
    return element("div", element("p", title, class_="dim"), element("table", *bars, class_="bars"))


def _cells(record: Record) -> Html:
    heads = ("exact sum", "right", "found", "off by (ulp)")
    rows = []
    for cell in record.verdict.worst:
        off = f"{cell.ulps:.3g}" if cell.expected else "\u2013"  # 0 has no last place to speak of
        numbers = (f"{cell.expected:.9g}", _range(cell.low, cell.high), f"{cell.found:.9g}", off)
        columns = [element("td", number, class_="number") for number in numbers]
        rows.append(element("tr", element("td", place(cell.index), class_="place"), *columns))
    head = element("tr", element("th", "cell"), *(element("th", name, class_="number") for name in heads))
    table = element("table", element("thead", head), element("tbody", *rows), class_="cells")
    return joined((element("p", "The worst cells:"), element("div", table, class_="scroll")))


def _range(low: float, high: float) -> str:
    return f"{low:.9g}" if low == high or low != low else f"{low:.9g} to {high:.9g}"


def source_maps(run: Run) -> Html:
    """The whole map of failing operators, where an impulse case followed."""
    parts = []
    for operator, record in run.impulses.items():
        if record.output and not data_are_gone(record.case) and is_small(record.case):
            documented = record.case.expected().value
            if documented.shape == record.output[0].shape:
                parts.append(_map(operator, source_map(documented, record.output[0])))
    return joined((element("h2", "Which cells flow where"), *parts)) if parts else Html()


def _map(operator: str, drawn: Map) -> Html:
    text = (
        f"{drawn.sources:,} sources (rows), {drawn.cells:,} cells (columns): {drawn.lost:,} lost, {drawn.extra:,} extra"
    )
    caption = element(
        "figcaption", element("b", operator), f": {text}. A square may stand for several; the worst shows."
    )
    return element("figure", caption, element("img", class_="map", src=drawn.url, alt=text), _key(MAP_KEY))
