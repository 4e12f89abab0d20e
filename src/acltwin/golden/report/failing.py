"""One failing case: its pictures, its errors by size, its worst cells and where their sources went."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.arrays import planes_first, sizes_first
from acltwin.golden.cases.dtypes import Array
from acltwin.golden.files.describe import data_are_gone
from acltwin.golden.judge.bound import Bound, error_of
from acltwin.golden.judge.judge import impossible_cells
from acltwin.golden.judge.verdict import Record, census_text, place, sources_text
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
MAP_KEY = (
    ("#5a6e82", "as documented"),
    ("#ec971f", "lost"),
    ("#cb2431", "extra"),
    ("#2166ac", "with another weight"),
)


def failing_case(record: Record, is_open: bool) -> str:
    verdict, case = record.verdict, record.case
    body = [f"<p>{escape(verdict.problem or census_text(verdict))}</p>"]
    if verdict.detail:
        body.append(f"<p class='dim'>{escape(verdict.detail)}</p>")
    arguments = ", ".join(f"{name} = {value}" for name, value in case.arguments.items())
    body.append(f"<p class='dim'><code>{escape(arguments)}</code></p>")
    body += [f"<p class='warn'>{escape(warning)}</p>" for warning in verdict.warnings]
    body += [f"<p class='dim'>note: {escape(note)}</p>" for note in verdict.notes]
    if record.output and verdict.worst and not verdict.problem:
        body += _pictures(record)
    if verdict.worst:
        body.append(_cells(record))
    if verdict.sources:
        lines = "\n".join(sources_text(found) for found in verdict.sources)
        more = verdict.decoded - len(verdict.sources)
        note = f"\n... and {more:,} cells more" if more > 0 else ""
        body.append(f"<p>Sources of wrong cells, decoded:</p><pre>{escape(lines + note)}</pre>")
    title = f"<summary><h3>{escape(case.name)}</h3> <span class='dim'>{escape(case.operator)}</span></summary>"
    return f"<details{' open' if is_open else ''}>{title}{''.join(body)}</details>"


def _pictures(record: Record) -> list[str]:
    """Of the result that the worst cell belongs to; indices have no colours."""
    assert record.output is not None
    if data_are_gone(record.case):
        return ["<p class='dim'>No pictures: its data came from a file, and the record does not hold them.</p>"]
    worst = record.verdict.worst[0]
    found, expected = record.output[0], record.case.expected()
    if worst.result != 0 or found.shape != expected.value.shape:
        return []
    wrong = impossible_cells(record.case, found, record.verdict.options)
    error = error_of(expected, Bound(**record.verdict.options))
    arranged = [planes_first(array, record.case.data_format) for array in (expected.value, found, error, wrong)]
    values, found, error, wrong = arranged
    index = sizes_first(worst.index, record.case.data_format)
    made = panels(values, found, wrong, index, len(record.case.spec.axes))
    sliders = len(made[0].slices)
    slider = ""
    if sliders > 1:
        attributes = f"type='range' hidden min='0' max='{sliders - 1}' value='{made[0].shown}'"
        slider = f"<label>slice along D <input {attributes}></label>"
    key = _key(KEY)
    figures = "".join(_figure(panel) for panel in made)
    return [
        f"<div class='panels'>{figures}</div>{slider}<p class='key dim'>{key}</p>",
        _histograms(found, values, error, wrong),
    ]


def _key(colours: tuple[tuple[str, str], ...]) -> str:
    return " ".join(f"<span><i style='background:{colour}'></i>{name}</span>" for colour, name in colours)


def _figure(panel: Panel) -> str:
    slices = []
    for number, one in enumerate(panel.slices):
        mark = ""
        if one.mark:
            left, top, width, height = one.mark
            place = f"left:{left:.2f}%;top:{top:.2f}%;width:{width:.2f}%;height:{height:.2f}%"
            mark = f"<span class='mark' style='{place}'></span>"
        hidden = "" if number == panel.shown else " hidden"
        alt = f"{panel.title} {one.label}".strip()
        slices.append(
            f"<div class='slice' data-at='{number}'{hidden}><div class='drawn'>"
            f"<img src='{one.url}' alt='{escape(alt)}'>{mark}</div><span class='dim'>{escape(one.label)}</span></div>"
        )
    return f"<figure><figcaption>{panel.title}</figcaption>{''.join(slices)}</figure>"


def _histograms(found: Array, expected: Array, bound: NDArray[np.float64], wrong: NDArray[np.bool_]) -> str:
    by_ulp, by_bound = error_bars(found, expected, bound, wrong)
    parts = [_bars("in units of the last place", by_ulp)]
    if bound.any():
        parts.append(_bars("in units of E, the most that the order of the sums can explain", by_bound))
    return f"<p>Wrong cells by the size of their error</p><div class='halves'>{''.join(parts)}</div>"


def _bars(title: str, rows: Bars) -> str:
    shown = [(name, count) for name, count in rows if count]
    most = max((count for _, count in shown), default=1)
    bars = "".join(
        f"<tr><td>{name}</td><td class='number'>{count:,}</td>"
        f"<td class='wide'><div class='bar' style='width:{100 * count / most:.1f}%'></div></td></tr>"
        for name, count in shown
    )
    return f"<div><p class='dim'>{title}</p><table class='bars'>{bars}</table></div>"


def _cells(record: Record) -> str:
    heads = ("exact sum", "a right kernel returns", "found", "off by (ulp)")
    rows = "".join(
        f"<tr><td class='place'>{place(cell.index)}</td><td class='number'>{cell.expected:.9g}</td>"
        f"<td class='number'>{_range(cell.low, cell.high)}</td><td class='number'>{cell.found:.9g}</td>"
        f"<td class='number'>{cell.ulps:.3g}</td></tr>"
        for cell in record.verdict.worst
    )
    head = "<th>cell</th>" + "".join(f"<th class='number'>{name}</th>" for name in heads)
    table = (
        f"<div class='scroll'><table class='cells'><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
    return f"<p>The worst cells:</p>{table}"


def _range(low: float, high: float) -> str:
    return f"{low:.9g}" if low == high or low != low else f"{low:.9g} to {high:.9g}"


def source_maps(run: Run) -> str:
    """The whole map of failing operators, where an impulse case followed."""
    parts = []
    for operator, record in run.impulses.items():
        if record.output:
            drawn = source_map(record.case.expected().value, record.output[0])
            parts.append(_map(operator, drawn))
    return f"<h2>Which cells flow where</h2>{''.join(parts)}" if parts else ""


def _map(operator: str, drawn: Map) -> str:
    key = _key(MAP_KEY)
    text = (
        f"{drawn.sources:,} sources (rows), {drawn.cells:,} cells (columns): {drawn.lost:,} lost, {drawn.extra:,} extra"
    )
    return (
        f"<figure><figcaption><b>{escape(operator)}</b>: {text}</figcaption>"
        f"<img class='map' src='{drawn.url}' alt='{escape(text)}'><p class='key dim'>{key}</p></figure>"
    )
