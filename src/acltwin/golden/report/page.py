"""The page: what comes first, and what follows."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from acltwin.golden.report.failing import failing_case, source_maps
from acltwin.golden.report.style import CSS, SCRIPT
from acltwin.golden.run import KEPT_CASES, Record, Run
from acltwin.golden.run_text import cause_lines
from acltwin.golden.text import census_text


def page(run: Run) -> str:
    title = f"{run.target}: {_word(run)}"
    parts = [_verdict(run), _repeat(run), _failures(run), _table(run)]
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
    lines += [f"<p class='warn'>{escape(warning)}</p>" for warning in list(warnings)[:5]]
    passed = " passed" if run.passed else ""
    return f"<section class='verdict{passed}'>{''.join(lines)}</section>"


def _repeat(run: Run) -> str:
    facts = {
        "rule": ", ".join(
            [run.rule, *(f"{name} {value}" for name, value in run.options.items() if value is not False)]
        ),
        "level": run.level or "given cases",
        "seed": str(run.seed),
        "outputs lived on": ", ".join(run.devices) or "not known",
        "took": f"{run.seconds:.1f} s",
        **run.environment,
    }
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in facts.items())
    command = f"<pre>{escape(run.command or _python(run))}</pre>"
    return f"<h2>Repeat it</h2>{command}<div class='scroll'><table>{rows}</table></div>"


def _python(run: Run) -> str:
    """A run that no command started."""
    operators = dict.fromkeys(record.case.operator for record in run.records)
    function = run.target.replace(":", ".")
    calls = [f'golden.verify({function}, "{name}", level="{run.level}", seed={run.seed})' for name in operators]
    return "\n".join(["from acltwin import golden", *calls])


def _failures(run: Run) -> str:
    if not run.failures:
        return ""
    shown = run.failures[:KEPT_CASES]
    cases = "".join(failing_case(run, record, number == 0) for number, record in enumerate(shown))
    more = len(run.failures) - len(shown)
    rest = f"<p class='dim'>{more} more are in the table below.</p>" if more else ""
    return f"{source_maps(run)}<h2>Failing cases</h2>{cases}{rest}"


def _table(run: Run) -> str:
    heads = (("case", "text"), ("operator", "text"), ("dtype", "text"), ("verdict", "text"), ("wrong cells", "number"))
    head = "".join(f"<th data-sort='{kind}'>{name}</th>" for name, kind in heads)
    return (
        f"<h2>All cases</h2><div class='scroll'><table><thead><tr>{head}<th>worst</th></tr></thead>"
        f"<tbody>{''.join(_rows(run.records))}</tbody></table></div>"
    )


def _rows(records: Iterable[Record]) -> Iterable[str]:
    for record in records:
        verdict, case = record.verdict, record.case
        passed = " passed" if verdict.passed else ""
        worst = verdict.problem or ("" if verdict.passed else census_text(verdict))
        yield (
            f"<tr><td>{escape(case.name)}</td><td>{escape(case.operator)}</td><td>{escape(case.dtype)}</td>"
            f"<td><span class='word{passed}'>{escape(verdict.status)}</span></td>"
            f"<td class='number' data-value='{verdict.census.wrong}'>{verdict.census.wrong:,}</td>"
            f"<td>{escape(worst)}</td></tr>\n"
        )
