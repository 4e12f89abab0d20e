"""A report as Markdown tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from bench.cases import HALF_TYPES, Case
from bench.results import PEERS, REGIMES, MemoryResult, OverheadResult, Regime, Report, RowResult, geometric_mean

NOTHING = "-"
FEWEST = 5  # rows of a region that say anything
WORST_REGIONS = 12
WORDS: dict[Regime, str] = {"quiet": "quiet", "in-place": "in place"}


def markdown(report: Report) -> str:
    parts = [_environment(report)]
    if report.rows:
        parts += [_summary(report), _by_operator(report.rows), _regions(report.rows), _lost(report.rows)]
    parts += [_other_peers(report.rows), _overhead(report.overhead), _memory(report.memory)]
    parts.append(_failures(report.failures))
    return "\n\n".join(part for part in parts if part) + "\n"


def summary(report: Report) -> str:
    """What most readers want to know."""
    parts = [_environment(report)]
    if report.rows:
        parts += [_summary(report), _by_operator(report.rows)]
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


def _environment(report: Report) -> str:
    facts = ", ".join(f"{name} {value}" for name, value in report.environment.items())
    return f"{report.selected}. Measured with {facts}." if report.selected else f"Measured with {facts}."


def _ratios(rows: Iterable[RowResult], regime: Regime) -> list[float]:
    return [ratio for row in rows if (ratio := row.ratio(regime)) is not None]


def _summary(report: Report) -> str:
    parts = [_summary_of(ratios, WORDS[regime]) for regime in REGIMES if (ratios := _ratios(report.rows, regime))]
    if not parts:
        return f"{len(report.rows)} rows. PyTorch is not installed, so there is nothing to compare with."
    return f"{len(report.rows)} rows. Against PyTorch, {'; '.join(parts)}."


def _summary_of(ratios: list[float], words: str) -> str:
    behind = sum(ratio < 1 for ratio in ratios)
    return (
        f"{words}: geometric mean **{_times(geometric_mean(ratios))}**, slowest {_times(min(ratios))}, "
        f"fastest {_times(max(ratios))}, {behind} of {len(ratios)} rows ({behind / len(ratios):.1%}) slower"
    )


def _grouped(rows: list[RowResult], key: Callable[[Case], str]) -> dict[str, list[RowResult]]:
    groups: dict[str, list[RowResult]] = {}
    for row in rows:
        groups.setdefault(key(row.row.case), []).append(row)
    return groups


def _line(name: str, rows: list[RowResult]) -> tuple[str, ...]:
    cells = []
    for regime in REGIMES:
        ratios = _ratios(rows, regime)
        behind = str(sum(ratio < 1 for ratio in ratios)) if ratios else NOTHING
        cells += [_times(geometric_mean(ratios)), _times(min(ratios, default=None)), behind]
    return name, str(len(rows)), *cells


_HEAD = (
    "rows",
    *(f"{words}{part}" for words in WORDS.values() for part in (", mean", ", slowest", ", lost")),
)


def _by_operator(rows: list[RowResult]) -> str:
    lines = [_line(name, group) for name, group in sorted(_grouped(rows, lambda case: case.operator).items())]
    return _table("Times PyTorch, by operator", ("operator", *_HEAD), lines)


def _kind(case: Case) -> str:
    dtype = "16-bit" if case.dtype in HALF_TYPES else case.dtype if "float" in case.dtype else "integers"
    return f"{case.operator}, {case.layout}, {dtype}"


def _regions(rows: list[RowResult]) -> str:
    """Operator, layout and kind of dtype together, those with the smallest means first."""
    groups = {name: group for name, group in _grouped(rows, _kind).items() if len(group) >= FEWEST}

    def mean(group: list[RowResult]) -> float:
        means = (geometric_mean(_ratios(group, regime)) for regime in REGIMES)
        return min((value for value in means if value is not None), default=float("inf"))

    worst = sorted(groups.items(), key=lambda item: mean(item[1]))[:WORST_REGIONS]
    lines = [_line(name, group) for name, group in worst]
    return _table("Where it is least", ("region", *_HEAD), lines) if lines else ""


def _lost(rows: list[RowResult]) -> str:
    lines = [
        (row.row.label, *(_times(row.ratio(regime)) for regime in REGIMES))
        for row in sorted(rows, key=lambda row: min(_ratios([row], "quiet") + _ratios([row], "in-place"), default=2.0))
        if row.loses
    ]
    return _table("Rows slower than PyTorch", ("row", *WORDS.values()), lines) if lines else ""


def _other_peers(rows: list[RowResult]) -> str:
    names = [name for name in PEERS if any(name in row.seconds for row in rows)]
    if not names:
        return ""
    lines = [
        (row.row.label, _times(row.ratio("quiet")), *(_times(row.peer_ratio(name)) for name in names))
        for row in rows
        if any(name in row.seconds for name in names)
    ]
    means = [geometric_mean(r for row in rows if (r := row.peer_ratio(name)) is not None) for name in names]
    compared = [row for row in rows if any(name in row.seconds for name in names)]
    lines.append(("geometric mean", _times(geometric_mean(_ratios(compared, "quiet"))), *map(_times, means)))
    return _table("Times other peers, quiet", ("row", "PyTorch", *names), lines)


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
    return _table("One tiny call", head, lines) if lines else ""


def _memory(results: list[MemoryResult]) -> str:
    lines = [(line.case, _megabytes(line.tensors), _megabytes(line.ours), _megabytes(line.pytorch)) for line in results]
    head = ("call", "its tensors", "acltwin", "PyTorch")
    return _table("Peak memory of one call on top of its tensors", head, lines) if lines else ""


def _failures(failures: list[str]) -> str:
    return "**Not measured:**\n\n" + "\n".join(f"- {failure}" for failure in failures) if failures else ""
