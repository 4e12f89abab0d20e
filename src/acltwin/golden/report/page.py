"""The page: what comes first, and what follows."""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import TYPE_CHECKING

from acltwin.golden.cases.case import Case
from acltwin.golden.causes.cause import cause_lines
from acltwin.golden.judge.verdict import KEPT_CASES, Record, cell_text, place
from acltwin.golden.report.failing import failing_case, source_maps
from acltwin.golden.report.style import CSS, SCRIPT
from acltwin.golden.report.text import badness

if TYPE_CHECKING:
    from acltwin.golden.run.run import Run
    from acltwin.golden.wrong.score import Score

SHOWN = 5  # warnings and notes


def page(run: Run, score: Score | None = None) -> str:
    title = f"{run.target}: {_word(run)}"
    parts = [_verdict(run), _repeat(run), _failures(run), _table(run), _score(score)]
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{CSS}</style>
</head>
<body>
{"".join(parts)}
<script>{SCRIPT}</script>
</body>
</html>
"""


def _word(run: Run) -> str:
    if not run.ran:
        return "nothing was run"
    return "passed" if run.passed else "failed"


def _verdict(run: Run) -> str:
    counts = ", ".join(f"{number} {status}" for status, number in sorted(run.counts.items())) or "no cases"
    lines = [f"<h1>{escape(run.target)}: <span class='word'>{_word(run)}</span></h1>", f"<p>{counts}</p>"]
    for operator, cause in run.causes.items():
        first, *others = cause_lines(cause)
        lines.append(f"<p class='cause'><b>{escape(operator)}</b><br>{escape(first.removeprefix('cause').strip())}</p>")
        lines += [f"<p class='dim'>{escape(other.strip())}</p>" for other in others]
    warnings = dict.fromkeys(warning for record in run.records for warning in record.verdict.warnings)
    lines += [f"<p class='warn'>{escape(warning)}</p>" for warning in list(warnings)[:SHOWN]]
    notes = Counter(note for record in run.records for note in record.verdict.notes)
    lines += [
        f"<p class='dim'>note: {escape(note)} ({_in_cases(count)})</p>" for note, count in notes.most_common(SHOWN)
    ]
    passed = " passed" if run.passed else ""
    return f"<section class='verdict{passed}'>{''.join(lines)}</section>"


def _in_cases(count: int) -> str:
    return "in 1 case" if count == 1 else f"in {count} cases"


def _repeat(run: Run) -> str:
    facts = {
        "rule": _rule(run),
        "level": run.level or "given cases",
        "seed": str(run.seed),
        "outputs were on": ", ".join(run.devices) or "unknown",
        "took": f"{run.seconds:.1f} s",
        **run.environment,
    }
    pairs = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts.items())
    again = run.repetition.whole
    head = f"<h2>Repeat it</h2><pre>{escape(again)}</pre>" if again else "<h2>How it was run</h2>"
    return f"{head}<dl>{pairs}</dl>"


def _rule(run: Run) -> str:
    """With the options of ``bound`` as they were applied; files may ask for others than the command."""
    applied = dict.fromkeys(
        f"{name} {value}"
        for record in run.records
        for name, value in record.verdict.options.items()
        if value is not False
    )
    return ", ".join((run.rule, *applied))


def _failures(run: Run) -> str:
    if not run.failures:
        return ""
    kept = run.failures[:KEPT_CASES]
    worst = max(kept, key=badness)
    shown = [worst, *(record for record in kept if record is not worst)]
    cases = "".join(failing_case(record, number == 0) for number, record in enumerate(shown))
    more = len(run.failures) - len(shown)
    rest = f"<p class='dim'>{more} more are in the table below.</p>" if more else ""
    return f"{source_maps(run)}<h2>Failing cases</h2>{cases}{rest}"


def _table(run: Run) -> str:
    """A case's name says its geometry, dtype and data; the operator has a column where there are several."""
    several = len({record.case.operator for record in run.records}) > 1
    words = ("case", *(("operator",) if several else ()), "sizes", "verdict")
    head = "".join(f"<th data-sort='text'>{name}</th>" for name in words)
    rows = "".join(_row(run, record, several) for record in run.records)
    return (
        f"<h2>All cases</h2><div class='scroll'><table class='cases'><thead><tr>{head}"
        "<th data-sort='number' class='number'>wrong cells</th><th>worst</th><th data-sort='text'>explained by</th>"
        f"</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _row(run: Run, record: Record, with_operator: bool) -> str:
    verdict, case = record.verdict, record.case
    passed = " passed" if verdict.passed else ""
    worst = verdict.problem or (cell_text(verdict.worst[0]) if verdict.worst else "")
    words = (case.name, *((case.operator,) if with_operator else ()), _geometry(case))
    return (
        f"<tr>{''.join(f'<td>{escape(word)}</td>' for word in words)}"
        f"<td><span class='word{passed}'>{escape(verdict.status)}</span></td>"
        f"<td class='number' data-value='{verdict.census.wrong}'>{verdict.census.wrong:,}</td>"
        f"<td class='worst'>{escape(worst)}</td><td>{escape(_explained(run, record))}</td></tr>\n"
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


def _score(score: Score | None) -> str:
    """What the cases cannot see."""
    if score is None:
        return ""
    head = f"{score.caught} of {score.total} wrong implementations caught by {score.cases} cases under {score.rule}."
    rows = "".join(
        f"<tr><td>{escape(one.cause)}</td><td>{escape(one.operator)}</td><td>{escape(one.sentence)}</td></tr>"
        for one in score.survivors
    )
    listed = f"<div class='scroll'><table><tbody>{rows}</tbody></table></div>" if rows else ""
    right = "".join(f"<p class='warn'>rejects right results: {escape(one.sentence)}</p>" for one in score.rejections)
    added = f"<p>Cases that catch them:</p><pre>{escape(chr(10).join(score.to_add))}</pre>" if score.to_add else ""
    return f"<h2>What these cases cannot see</h2><p>{escape(head)}</p>{right}{listed}{added}"
