"""A report as Markdown tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from bench.goals import CALL_OVERHEAD, GEOMETRIC_MEAN, IN_PLACE_MEAN, Goal
from bench.results import MemoryResult, OverheadResult, Regime, Report, RowResult, geometric_mean

NOTHING = "-"


def markdown(report: Report) -> str:
    parts = [_environment(report.environment)]
    if report.rows:
        parts += [_summary(report), _by_operator(report.rows), _by_goal(report.rows)]
    parts += [_overhead(report.overhead), _memory(report.memory), _other_peers(report.rows)]
    parts += [_all_rows(report.rows), _failures(report.failures)]
    return "\n\n".join(part for part in parts if part) + "\n"


def summary(report: Report) -> str:
    """What most readers want to know: nothing about our goals, nor about single calls."""
    parts = [_environment(report.environment)]
    if report.rows:
        parts += [_summary(report, goals=False), _by_operator(report.rows, goals=False)]
    return "\n\n".join(parts) + "\n"


def _table(title: str, head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rows = [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *lines)]
    return f"### {title}\n\n" + "\n".join(rows)


def _times(ratio: float | None) -> str:
    if ratio is None:
        return NOTHING
    return f"{ratio:.2f}x" if ratio < 2 else f"{ratio:.1f}x"


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return NOTHING
    return f"{seconds * 1e6:.2f} µs" if seconds < 1e-4 else f"{seconds * 1e3:.2f} ms"


def _megabytes(size: int | None) -> str:
    return NOTHING if size is None else f"{size / 2**20:.1f} MiB"


def _goal(goal: Goal) -> str:
    percent = "" if goal.percent is None else f", {goal.percent:g} %"
    return f"{goal.reuse:g}x \\| {goal.allocate:g}x{percent}"


def _environment(environment: dict[str, str]) -> str:
    return "Measured with " + ", ".join(f"{name} {value}" for name, value in environment.items()) + "."


def _summary(report: Report, goals: bool = True) -> str:
    reached = sum(not row.missed for row in report.rows)
    text = f"{len(report.rows)} rows" + (f", {reached} of them reach every part of their goal." if goals else ".")
    parts = [
        _summary_of(report.ratios(regime), words, goal if goals else None)
        for regime, words, goal in _REGIMES
        if report.ratios(regime)
    ]
    if not parts:
        return f"{text} PyTorch is not installed, so there is nothing to compare with but the limit."
    return f"{text} Against PyTorch, {'; '.join(parts)}."


_REGIMES: tuple[tuple[Regime, str, float], ...] = (
    ("quiet", "quiet", GEOMETRIC_MEAN),
    ("in-place", "in place", IN_PLACE_MEAN),
)


def _summary_of(ratios: list[float], words: str, goal: float | None) -> str:
    behind = sum(ratio < 1 for ratio in ratios)
    aim = f" (goal {goal:g}x)" if goal is not None else ""
    return (
        f"{words}: geometric mean **{geometric_mean(ratios):.1f}x**{aim}, slowest {_times(min(ratios))}, "
        f"fastest {_times(max(ratios))}, {behind} of {len(ratios)} ratios below 1"
    )


def _grouped(rows: list[RowResult], key: Callable[[RowResult], str]) -> dict[str, list[RowResult]]:
    groups: dict[str, list[RowResult]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def _reached(rows: list[RowResult]) -> str:
    if not any(row.is_compared for row in rows):
        return "not compared"
    return f"{sum(not row.missed for row in rows)} of {len(rows)}"


def _by_operator(rows: list[RowResult], goals: bool = True) -> str:
    """With goals, which are set by size, a line for each size."""

    def name_of(row: RowResult) -> str:
        case = row.row.case
        return f"{case.operator}, {case.size}" if goals else case.operator

    lines = []
    for name, group in _grouped(rows, name_of).items():
        cells = []
        for regime, _, _ in _REGIMES:
            ratios = [ratio for row in group for ratio in row.ratios(regime)]
            cells += [_times(geometric_mean(ratios)), _times(min(ratios, default=None))]
        lines.append((name, *cells, *([_reached(group)] if goals else [])))
    head = ["rows", "quiet, geometric mean", "slowest", "in place, geometric mean", "slowest"]
    head += ["reach their goal"] if goals else []
    return _table("Times PyTorch, by operator", head, lines)


def _by_goal(rows: list[RowResult]) -> str:
    lines = [
        (
            name,
            _range(group, lambda row: row.reuse_ratio),
            _range(group, lambda row: row.allocate_ratio),
            _range(group, lambda row: row.in_place_ratio),
            _percents(group),
            _goal(group[0].goal),
            _reached(group),
        )
        for name, group in _grouped(rows, lambda row: row.goal.rows).items()
    ]
    head = ("rows", "output reused", "both allocate", "in place", "of the limit", "goal", "rows that reach it")
    return _table("By goal", head, lines)


def _range(group: list[RowResult], value: Callable[[RowResult], float | None]) -> str:
    known = [ratio for ratio in map(value, group) if ratio is not None]
    if not known:
        return NOTHING
    return f"{_times(min(known))} to {_times(max(known))}" if len(known) > 1 else _times(known[0])


def _percents(group: list[RowResult]) -> str:
    known = [row.percent for row in group if row.percent is not None]
    return f"{min(known):.0f} to {max(known):.0f} %" if known else NOTHING


def _all_rows(rows: list[RowResult]) -> str:
    by_operator = _grouped(rows, lambda row: row.row.case.operator)
    return "\n\n".join(_rows_of(operator, group) for operator, group in by_operator.items())


def _rows_of(operator: str, rows: list[RowResult]) -> str:
    lines = [
        (
            row.row.label.removeprefix(operator).strip(),
            _duration(row.seconds.get("reuse")),
            _duration(row.seconds.get("torch_reuse")),
            _times(row.reuse_ratio),
            _times(row.allocate_ratio),
            _times(row.in_place_ratio),
            NOTHING if row.percent is None else f"{row.percent:.0f} %",
            row.verdict,
        )
        for row in rows
    ]
    head = ("row", "acltwin", "PyTorch", "output reused", "both allocate", "in place", "of the limit", "goal")
    return _table(operator, head, lines)


def _other_peers(rows: list[RowResult]) -> str:
    names = sorted({name for row in rows for name in row.others()})
    lines = [
        (
            row.row.label,
            _duration(row.seconds["allocate"]),
            *(_ratio_to(row.seconds.get(name), row.seconds["allocate"]) for name in names),
        )
        for row in rows
        if row.others()
    ]
    return _table("Other libraries, both allocate", ("row", "acltwin", *names), lines) if lines else ""


def _ratio_to(seconds: float | None, own: float) -> str:
    return NOTHING if seconds is None else f"{_duration(seconds)} ({_times(seconds / own)})"


def _overhead(results: list[OverheadResult]) -> str:
    lines = [
        (
            line.case,
            _duration(line.numpy),
            _duration(line.tensors),
            _duration(line.pytorch),
            *(_times(line.pytorch / own if line.pytorch and own else None) for own in (line.numpy, line.tensors)),
        )
        for line in results
    ]
    head = ("call", "NumPy arrays", "PyTorch tensors", "PyTorch's operator", "ratio, arrays", "ratio, tensors")
    title = f"One tiny call (goal: PyTorch's operator takes {CALL_OVERHEAD:g}x as long)"
    return _table(title, head, lines) if lines else ""


def _memory(results: list[MemoryResult]) -> str:
    lines = [(line.case, _megabytes(line.tensors), _megabytes(line.ours), _megabytes(line.pytorch)) for line in results]
    head = ("call", "its tensors", "acltwin", "PyTorch")
    return _table("Peak memory of one call on top of its tensors", head, lines) if lines else ""


def _failures(failures: list[str]) -> str:
    return "**Not measured:**\n\n" + "\n".join(f"- {failure}" for failure in failures) if failures else ""
