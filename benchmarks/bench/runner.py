"""One run: every chosen row, then the cost of tiny calls, then memory."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby

from bench import memory, overhead, peers
from bench.check import WrongResultError, check, same
from bench.environment import environment, other_work
from bench.grid import (
    DISJOINT,
    OVERLAP,
    THREADS,
    Case,
    Indexed,
    Row,
    Upsample,
    full_rows,
    short_rows,
)
from bench.limit import streaming
from bench.measure import EFFORT, best_times
from bench.problems import Problem, Result, build
from bench.results import Report, RowResult

OTHER_LIBRARIES: dict[str, tuple[str, Callable[[Problem], peers.Calls]]] = {
    "NumPy": ("numpy", peers.numpy),
    "JAX": ("jax", peers.jax),
}


@dataclass(frozen=True)
class Selection:
    """What a run measures: rows, tiny calls, memory; everything whose label has all words of the filter."""

    rows: Sequence[Row]
    overhead: Sequence[Case]
    memory: Sequence[Case]

    @property
    def labels(self) -> list[str]:
        return [
            *(row.label for row in self.rows),
            *(f"overhead {case.label}" for case in self.overhead),
            *(f"memory {case.label}" for case in self.memory),
        ]


def select(full: bool, words: str) -> Selection:
    def wanted(label: str) -> bool:
        return all(word in label for word in words.split())

    return Selection(
        [row for row in (full_rows() if full else short_rows()) if wanted(row.label)],
        [case for case in overhead.CASES if wanted(f"overhead {case.label}")],
        [case for case in (memory.CASES if full else memory.SHORT_CASES) if wanted(f"memory {case.label}")],
    )


def measure(
    selection: Selection, known: Sequence[RowResult] = (), save: Callable[[Report], None] | None = None
) -> Report:
    """Measures the rows that are not known yet, and hands the report to `save` after each of them."""
    report = Report(environment(), list(known))
    labels = {result.row.label for result in known}
    missing = [row for row in selection.rows if row.label not in labels]
    if warning := other_work():
        _tell(warning)
    for library in ("torch", "jax"):
        if not peers.installed(library):
            _tell(f"{library} is not installed: measured without it")
    done = 0
    for case, rows in groupby(missing, key=lambda row: row.case):
        problem = build(case)
        expected: Result | None = None  # checked once, then every row of the case must give the same
        for row in rows:
            done += 1
            _tell(f"[{done}/{len(missing)}] {row.label}", end=": ")
            try:
                expected = checked_result(problem) if expected is None else expected
                _add_row(report, measure_row(row, problem, expected))
            except WrongResultError as error:
                report.failures.append(f"{row.label}: {error}")
                _tell(f"WRONG RESULT, not timed: {error}")
            if save is not None:
                save(report)
    for case in selection.overhead:
        _tell(f"overhead {case.label}")
        report.overhead.append(overhead.measure_overhead(case))
    for case in selection.memory:
        _tell(f"memory {case.label}")
        report.memory.append(memory.measure_memory(case))
    report.sort_rows()
    return report


def _tell(text: str, end: str = "\n") -> None:
    print(text, end=end, file=sys.stderr, flush=True)


def _add_row(report: Report, result: RowResult) -> None:
    report.rows.append(result)
    ratios = " | ".join("-" if r is None else f"{r:.1f}x" for r in (result.reuse_ratio, result.allocate_ratio))
    goal = "below its goal" if result.missed else "goal reached"
    _tell(f"{ratios}, {result.percent:.0f} % of the limit, {goal}")


def checked_result(problem: Problem) -> Result:
    result: Result = peers.ours(problem).allocate()
    check(problem, result)
    return result


def measure_row(row: Row, problem: Problem, expected: Result) -> RowResult:
    """Compares the results with the expected one, then times everybody in turns."""
    out = problem.new_result()
    with _threads(row.threads):
        own = peers.ours(problem)
        if own.into is None:
            raise ValueError("acltwin always takes out=")
        competitors = {"reuse": own.into(out), "allocate": own.allocate}
        for name, call in competitors.items():
            if not same(call(), expected):
                raise WrongResultError(f"{name} on {row.threads} threads: other values than the first, checked result")
        competitors["limit"] = streaming(problem, row.threads)
        if peers.installed("torch"):
            torch_calls = peers.pytorch(problem)
            competitors["torch_allocate"] = torch_calls.allocate
            if torch_calls.into is not None:
                competitors["torch_reuse"] = torch_calls.into(out)
        for name, (module, calls) in OTHER_LIBRARIES.items():
            if _wants_other_libraries(row) and peers.installed(module):
                competitors[name] = calls(problem).allocate
        best = best_times(competitors, EFFORT[row.case.size])
    return RowResult(
        row,
        best["reuse"],
        best["allocate"],
        best["limit"],
        best.get("torch_reuse"),
        best.get("torch_allocate"),
        {name: best[name] for name in OTHER_LIBRARIES if name in best},
    )


def _wants_other_libraries(row: Row) -> bool:
    """A few rows: NumPy and JAX take long, and JAX always uses all cores."""
    case = row.case
    if row.threads != THREADS[-1] or case.size != "medium" or case.dtype != "float32":
        return False
    if case.operator in peers.ONLY_PYTORCH:
        return False
    if isinstance(case, Upsample):
        return case.layout == "contiguous" and case.factor in (2.0, 1.5)
    return case in (Indexed(case.operator, "float32", "medium", window) for window in (DISJOINT, OVERLAP))


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """Both libraries on `count` threads, and back again."""
    modules = [importlib.import_module(name) for name in ("acltwin", "torch") if peers.installed(name)]
    before = [module.get_num_threads() for module in modules]
    for module in modules:
        module.set_num_threads(count)
    try:
        yield
    finally:
        for module, threads in zip(modules, before, strict=True):
            module.set_num_threads(threads)
