"""One failing case: its pictures, its errors by size, its worst cells and where their sources went."""

from __future__ import annotations

from html import escape

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.dtypes import Array
from acltwin.golden.judge import wrong_cells
from acltwin.golden.report.pictures import Map, Panel, histogram, panels, source_map
from acltwin.golden.rule import Bound, limits
from acltwin.golden.run import Record, Run
from acltwin.golden.text import census_text, sources_text

KEY = (
    ("#b2182b", "positive"),
    ("#2166ac", "negative"),
    ("#c800c8", "NaN"),
    ("#141414", "infinite"),
)


def failing_case(run: Run, record: Record, is_open: bool) -> str:
    verdict, case = record.verdict, record.case
    body = [f"<p>{escape(verdict.problem or census_text(verdict))}</p>"]
    if verdict.detail:
        body.append(f"<p class='dim'>{escape(verdict.detail)}</p>")
    arguments = ", ".join(f"{name} = {value}" for name, value in case.arguments.items())
    body.append(f"<p class='dim'><code>{escape(arguments)}</code></p>")
    if record.output and verdict.worst and not verdict.problem:
        body += _pictures(run, record)
    if verdict.worst:
        body.append(_cells(record))
    if verdict.sources:
        lines = "\n".join(sources_text(found) for found in verdict.sources)
        more = verdict.decoded - len(verdict.sources)
        note = f"\n... and {more:,} cells more" if more > 0 else ""
        body.append(f"<p>Sources of wrong cells, decoded:</p><pre>{escape(lines + note)}</pre>")
    title = f"<summary><h3>{escape(case.name)}</h3> <span class='dim'>{escape(case.operator)}</span></summary>"
    return f"<details{' open' if is_open else ''}>{title}{''.join(body)}</details>"


def _pictures(run: Run, record: Record) -> list[str]:
    """Of the result that the worst cell belongs to; indices have no colours."""
    assert record.output is not None
    worst = record.verdict.worst[0]
    found, expected = record.output[0], record.case.expected()
    if worst.result != 0 or found.shape != expected.value.shape:
        return []
    wrong = _wrong(run, record, found)
    axes, index = len(record.case.spec.axes), worst.index
    values, channels_last = expected.value, str(record.case.arguments.get("data_format", "")).endswith("C")
    if channels_last:
        values, found, wrong = (np.moveaxis(array, -1, 1) for array in (values, found, wrong))
        index = (index[0], index[-1], *index[1:-1])
    made = panels(values, found, wrong, index, axes)
    sliders = len(made[0].slices)
    slider = ""
    if sliders > 1:
        attributes = f"type='range' hidden min='0' max='{sliders - 1}' value='{made[0].shown}'"
        slider = f"<label>slice along D <input {attributes}></label>"
    key = "".join(f"<span style='background:{colour}'></span>{name}" for colour, name in KEY)
    figures = "".join(_figure(panel) for panel in made)
    return [f"<div class='panels'>{figures}</div>{slider}<p class='key dim'>{key}</p>", _bars(found, values, wrong)]


def _wrong(run: Run, record: Record, found: Array) -> NDArray[np.bool_]:
    """By the bound, whatever the rule of the run: what no right kernel returns."""
    options = {name: value for name, value in run.options.items() if name in Bound.__dataclass_fields__}
    bound = Bound(**options)
    return wrong_cells(found, limits(record.case.expected(), bound), bound)


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


def _bars(found: Array, expected: Array, wrong: NDArray[np.bool_]) -> str:
    rows = [(name, count) for name, count in histogram(found, expected, wrong) if count]
    if not rows:
        return ""
    most = max(count for _, count in rows)
    bars = "".join(
        f"<tr><td>{name}</td><td class='number'>{count:,}</td>"
        f"<td style='width:60%'><div class='bar' style='width:{100 * count / most:.1f}%'></div></td></tr>"
        for name, count in rows
    )
    return f"<p>Wrong cells by their error in units of the last place:</p><table class='bars'>{bars}</table>"


def _cells(record: Record) -> str:
    heads = ("cell", "expected", "a right kernel returns", "found", "ulp")
    rows = "".join(
        f"<tr><td>{escape(str(cell.index))}</td><td class='number'>{cell.expected:.9g}</td>"
        f"<td class='number'>{_range(cell.low, cell.high)}</td><td class='number'>{cell.found:.9g}</td>"
        f"<td class='number'>{cell.ulps:.3g}</td></tr>"
        for cell in record.verdict.worst
    )
    head = "".join(f"<th>{name}</th>" for name in heads)
    table = f"<div class='scroll'><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
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
    key = "".join(
        f"<span style='background:{colour}'></span>{name}"
        for colour, name in (
            ("#5a6e82", "as documented"),
            ("#ec971f", "lost"),
            ("#cb2431", "extra"),
            ("#2166ac", "with another weight"),
        )
    )
    text = (
        f"{drawn.sources:,} sources (rows), {drawn.cells:,} cells (columns): {drawn.lost:,} lost, {drawn.extra:,} extra"
    )
    return (
        f"<figure><figcaption><b>{escape(operator)}</b>: {text}</figcaption>"
        f"<img class='map' src='{drawn.url}' alt='{escape(text)}'><p class='key dim'>{key}</p></figure>"
    )
