"""What a run prints: census first, then cause, then cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from acltwin.golden.causes import page_path, read_page
from acltwin.golden.causes.cause import Cause
from acltwin.golden.judge.text import census_text, sources_text
from acltwin.golden.run.run import Record, Run

SHOWN = 3


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
    return "\n".join(blocks)


def _operator_text(run: Run, records: Sequence[Record]) -> str:
    counts = {status: sum(record.verdict.status == status for record in records) for status in _STATUSES}
    words = [f"{word} {counts[status]}" for status, word in _STATUSES.items() if counts[status]]
    head = f"{records[0].case.operator}  {run.target}   {len(records)} cases   {'   '.join(words)}"
    where = [device for device in run.devices if device != "cpu"]
    lines = [
        head + (f"   by {run.rule}" if run.rule != "bound" else "") + (f"   on {', '.join(where)}" if where else "")
    ]
    failures = [record for record in records if record in run.failures]
    if records[0].case.operator in run.causes:
        lines += cause_lines(run.causes[records[0].case.operator])
    if failures:
        lines += _worst_lines(run, failures)
    warnings = dict.fromkeys(warning for record in records for warning in record.verdict.warnings)
    lines += [f"warning {warning}" for warning in list(warnings)[:SHOWN]]
    notes = Counter(note for record in records for note in record.verdict.notes)
    lines += [f"note    {note} (in {count} cases)" for note, count in notes.most_common(SHOWN)]
    return "\n".join(lines)


_STATUSES = {"passed": "passed", "failed": "failed", "error": "not run", "skipped": "skipped"}


def cause_lines(cause: Cause) -> list[str]:
    """Under the word "cause"."""
    if cause.kind == "known":
        model = cause.models[0]
        text = f'{model.sentence}: the model "{model.name}" {_reach(cause)}'
        return [f"cause   {text}", *_formulas(cause), *_page_lines(cause)]
    if cause.kind == "several":
        lines = [f"cause   one of {len(cause.models)}, each of which {_reach(cause)}; {cause.apart}"]
        lines += [f'        {model.sentence} ("{model.name}")' for model in cause.models]
        return lines + _page_lines(cause)
    lines = []
    if cause.kind == "nearest":
        nearest = f'the nearest, "{cause.models[0].name}", explains {cause.explained} of {cause.failing} failing cases'
        lines.append(f"cause   not known: no model explains all; {nearest}")
    else:
        lines.append("cause   not known: no model explains the failing outputs")
    return lines + [f"        {sentence}" for sentence in cause.evidence]


def _page_lines(cause: Cause) -> list[str]:
    """What to do, and where to read more."""
    lines = []
    for name in dict.fromkeys(name for model in cause.models for name in model.page.split()):
        title, page = read_page(name)
        lines += [f"        to fix it: {page.fix}", f'        more on "{title}": docs/{page_path(name)}.md']
    return lines


def _reach(cause: Cause) -> str:
    text = f"reproduces all {cause.failing} failing outputs" if cause.failing > 1 else "reproduces the failing output"
    return f"{text}, and agrees with the {cause.passing} that passed" if cause.passing else text


def _formulas(cause: Cause) -> list[str]:
    model = cause.models[0]
    if not model.documented:
        return []
    note = f"; {model.note}" if model.note else ""
    return [f"        {model.documented} is documented, {model.observed} was observed{note}"]


def _worst_lines(run: Run, failures: Sequence[Record]) -> list[str]:
    worst = max(failures, key=badness)
    verdict = worst.verdict
    if verdict.problem:
        lines = [f"worst   case {worst.case.name}: {verdict.problem}"]
    else:
        sizes = ""
        if worst.case.geometry:
            sizes = f"  {_sizes(worst.case.geometry.source)} -> {_sizes(worst.case.geometry.result)}"
        lines = [f"worst   case {worst.case.name}{sizes}: {census_text(verdict)}"]
        lines += [f"        {sources_text(found)}" for found in verdict.sources[:SHOWN]]
    again = run.repetition.of_case(worst.case.operator, worst.case.name)
    return [*lines, f"next    {again}"] if again else lines


def badness(record: Record) -> tuple[bool, bool, float]:
    """Decoded sources say most, then the share of wrong cells."""
    census = record.verdict.census
    return bool(record.verdict.sources), not record.verdict.problem, census.wrong / max(census.cells, 1)


def _sizes(sizes: Sequence[int]) -> str:
    return f"({','.join(map(str, sizes))})"
