"""What is told of a run: the lines that it prints, and its report, one HTML file that needs no network.

``to_html(run, path)`` writes it, readable on a phone, in light and dark, and on paper. Verdict and cause come first,
then how to repeat the run, then every failing case with its pictures, then the table of all cases, and what they cannot
see, if their score is known. No script is needed to read it; a short one adds sorting and the slider over slices.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from acltwin._writing import write_text
from acltwin.golden.cases.case import Case
from acltwin.golden.causes.cause import cause_lines
from acltwin.golden.judge.verdict import KEPT_CASES, Record, cell_text, census_text, place, sources_text
from acltwin.golden.report.failing import failing_case, source_maps
from acltwin.golden.report.markup import CSS, SCRIPT, Html, element, joined

if TYPE_CHECKING:
    from acltwin.golden.run.run import Run
    from acltwin.golden.wrong.score import Score


def to_html(run: Run, path: Path, score: Score | None = None) -> None:
    write_text(path, page(run, score))


SHOWN = 5  # warnings and notes
FIX = "to fix it:"


def page(run: Run, score: Score | None = None) -> str:
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),  # no other script runs, whatever happens
        element("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        element("title", f"{run.target}: {_word(run)}"),
        element("style", Html(CSS)),
    )
    parts = (_verdict(run), _repeat(run), _failures(run), _table(run), _score(score))
    body = element("body", *parts, element("script", Html(SCRIPT)))
    return "<!DOCTYPE html>\n" + element("html", head, body, lang="en") + "\n"


def _word(run: Run) -> str:
    if not run.ran:
        return "nothing was run"
    return "passed" if run.passed else "failed"


def _verdict(run: Run) -> Html:
    counts = ", ".join(f"{number} {status}" for status, number in sorted(run.counts.items())) or "no cases"
    lines = [element("h1", f"{run.target}: ", element("span", _word(run), class_="word")), element("p", counts)]
    for operator, cause in run.causes.items():
        first, *others = (line.removeprefix("cause").strip() for line in cause_lines(cause))
        lines.append(element("p", operator, class_="dim"))
        lines.append(element("p", first, class_="cause"))
        lines += [element("p", other, class_="cause" if other.startswith(FIX) else "dim") for other in others]
    warnings = dict.fromkeys(warning for record in run.records for warning in record.verdict.warnings)
    lines += [element("p", warning, class_="warn") for warning in list(warnings)[:SHOWN]]
    notes = Counter(note for record in run.records for note in record.verdict.notes)
    lines += [element("p", f"note: {note} (in {_cases(n)})", class_="dim") for note, n in notes.most_common(SHOWN)]
    return element("section", *lines, class_=f"verdict{' passed' if run.passed else ''}")


def _repeat(run: Run) -> Html:
    facts = {
        "rule": _rule(run),
        "level": run.level or "given cases",
        "seed": str(run.seed),
        "outputs were on": ", ".join(run.devices) or "unknown",
        "took": f"{run.seconds:.1f} s",
        **run.environment,
    }
    pairs = [element("div", element("dt", name), element("dd", value)) for name, value in facts.items()]
    again = run.repetition.whole
    head = [element("h2", "Repeat it"), element("pre", again)] if again else [element("h2", "How it was run")]
    return joined((*head, element("dl", *pairs)))


def _rule(run: Run) -> str:
    """With the options of ``bound`` as they were applied; files may ask for others than the command."""
    applied = dict.fromkeys(
        f"{name} {value}"
        for record in run.records
        for name, value in record.verdict.options.items()
        if value is not False
    )
    return ", ".join((run.rule, *applied))


def _failures(run: Run) -> Html:
    if not run.failures:
        return Html()
    kept = run.failures[:KEPT_CASES]
    worst = max(kept, key=badness)
    shown = [worst, *(record for record in kept if record is not worst)]
    cases = [failing_case(record, number == 0) for number, record in enumerate(shown)]
    more = len(run.failures) - len(shown)
    rest = element("p", f"{more} more are in the table below.", class_="dim") if more else Html()
    return joined((source_maps(run), element("h2", "Failing cases"), *cases, rest))


def _table(run: Run) -> Html:
    """A case's name says its geometry, dtype and data; the operator has a column where there are several."""
    several = len({record.case.operator for record in run.records}) > 1
    words = ("case", *(("operator",) if several else ()), "sizes", "verdict")
    head = [
        *(element("th", name, data_sort="text") for name in words),
        element("th", "wrong cells", data_sort="number", class_="number"),
        element("th", "worst"),
        element("th", "explained by", data_sort="text"),
    ]
    rows = (_row(run, record, several) for record in run.records)
    table = element("table", element("thead", element("tr", *head)), element("tbody", *rows), class_="cases")
    return joined((element("h2", "All cases"), element("div", table, class_="scroll")))


def _row(run: Run, record: Record, with_operator: bool) -> Html:
    verdict, case = record.verdict, record.case
    worst = verdict.problem or (cell_text(verdict.worst[0]) if verdict.worst else "")
    words = (case.name, *((case.operator,) if with_operator else ()), _geometry(case))
    return element(
        "tr",
        *(element("td", word) for word in words),
        element("td", element("span", verdict.status, class_=f"word{' passed' if verdict.passed else ''}")),
        element(
            "td",
            f"{verdict.census.wrong:,}",
            class_="number",
            data_value=verdict.census.wrong,
            data_label="wrong cells",
        ),
        element("td", worst, class_="worst"),
        element("td", _explained(run, record)),
    )


def _geometry(case: Case) -> str:
    """The sizes between which the values flow."""
    if case.geometry is None:
        return ""
    sides = (place(sizes) for sizes in (case.geometry.source, case.geometry.result))
    return " \u2192 ".join(sides)


def _explained(run: Run, record: Record) -> str:
    cause = run.causes.get(record.case.operator)
    if record.verdict.passed or record.verdict.problem or cause is None or cause.kind not in ("known", "several"):
        return ""
    return " or ".join(model.name for model in cause.models)


def _score(score: Score | None) -> Html:
    """What the cases cannot see."""
    if score is None:
        return Html()
    head = f"{score.caught} of {score.total} wrong implementations caught by {score.cases} cases under {score.rule}."
    rows = [
        element("tr", *(element("td", word) for word in (one.cause, one.operator, one.sentence)))
        for one in score.survivors
    ]
    parts = [element("h2", "What these cases cannot see"), element("p", head)]
    parts += [element("p", f"rejects right results: {one.sentence}", class_="warn") for one in score.rejections]
    if rows:
        parts.append(element("div", element("table", element("tbody", *rows)), class_="scroll"))
    if score.to_add:
        parts += [element("p", "Cases that catch them:"), element("pre", "\n".join(score.to_add))]
    return joined(parts)


# ---- what a run prints: census first, then cause, then cells ----


PRINTED = 3
_VISIBLE = {code: f"\\x{code:02x}" for code in (*range(9), *range(11, 32), 127)}  # names come from anywhere


def run_text(run: Run) -> str:
    """A few lines for every operator."""
    if not run.records:
        return "nothing was run: no case was chosen"
    operators = dict.fromkeys(record.case.operator for record in run.records)
    blocks = [_operator_text(run, [r for r in run.records if r.case.operator == name]) for name in operators]
    if run.interrupted:
        blocks.append("interrupted; --resume continues")
    if not run.ran:
        blocks.append("nothing was run: every case was skipped")
    return "\n".join(blocks).translate(_VISIBLE)


def _operator_text(run: Run, records: Sequence[Record]) -> str:
    counts = {status: sum(record.verdict.status == status for record in records) for status in _STATUSES}
    words = [f"{word} {counts[status]}" for status, word in _STATUSES.items() if counts[status]]
    head = f"{records[0].case.operator}  {run.target}   {_cases(len(records))}   {'   '.join(words)}"
    where = [device for device in run.devices if device != "cpu"]
    lines = [
        head + (f"   by {run.rule}" if run.rule != "bound" else "") + (f"   on {', '.join(where)}" if where else "")
    ]
    failures = [record for record in records if record in run.failures]
    if records[0].case.operator in run.causes:
        lines += cause_lines(run.causes[records[0].case.operator])
    if failures:
        lines += _worst_lines(run, failures)
    lines += _skipped_lines([record for record in records if record.verdict.status == "skipped"])
    warnings = dict.fromkeys(warning for record in records for warning in record.verdict.warnings)
    lines += [f"warning {warning}" for warning in list(warnings)[:PRINTED]]
    notes = Counter(note for record in records for note in record.verdict.notes)
    lines += [f"note    {note} (in {_cases(count)})" for note, count in notes.most_common(PRINTED)]
    return "\n".join(lines)


def _cases(count: int) -> str:
    return f"{count} case{'s' * (count != 1)}"


_STATUSES = {"passed": "passed", "failed": "failed", "error": "not run", "skipped": "skipped"}


def _worst_lines(run: Run, failures: Sequence[Record]) -> list[str]:
    worst = max(failures, key=badness)
    verdict = worst.verdict
    if verdict.problem:
        lines = [f"worst   case {worst.case.name}: {verdict.problem}"]
    else:
        sizes = ""
        if worst.case.geometry:
            sizes = f"  {place(worst.case.geometry.source)} -> {place(worst.case.geometry.result)}"
        lines = [f"worst   case {worst.case.name}{sizes}: {census_text(verdict)}"]
        lines += [f"        {sources_text(found)}" for found in verdict.sources[:PRINTED]]
    again = run.repetition.of_case(worst.case.operator, worst.case.name)
    return [*lines, f"next    {again}"] if again else lines


def _skipped_lines(skipped: Sequence[Record]) -> list[str]:
    """The first, and how many more."""
    if not skipped or not skipped[0].verdict.problem:
        return []
    others = f" (and {len(skipped) - 1} others)" if len(skipped) > 1 else ""
    return [f"skipped case {skipped[0].case.name}: {skipped[0].verdict.problem}{others}"]


def badness(record: Record) -> tuple[bool, bool, float]:
    """Decoded sources say most, then the share of wrong cells."""
    census = record.verdict.census
    return bool(record.verdict.sources), not record.verdict.problem, census.wrong / max(census.cells, 1)
