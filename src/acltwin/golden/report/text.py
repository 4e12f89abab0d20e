"""What a run prints: census first, then cause, then cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from acltwin.golden.causes.cause import cause_lines
from acltwin.golden.judge.verdict import Record, census_text, sources_text

if TYPE_CHECKING:
    from acltwin.golden.run.run import Run

SHOWN = 3


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
    lines += [f"warning {warning}" for warning in list(warnings)[:SHOWN]]
    notes = Counter(note for record in records for note in record.verdict.notes)
    lines += [f"note    {note} (in {_cases(count)})" for note, count in notes.most_common(SHOWN)]
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
            sizes = f"  {_sizes(worst.case.geometry.source)} -> {_sizes(worst.case.geometry.result)}"
        lines = [f"worst   case {worst.case.name}{sizes}: {census_text(verdict)}"]
        lines += [f"        {sources_text(found)}" for found in verdict.sources[:SHOWN]]
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


def _sizes(sizes: Sequence[int]) -> str:
    return f"({','.join(map(str, sizes))})"
