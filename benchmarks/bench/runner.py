"""One run: every chosen row, then the cost of tiny calls, then memory."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby

from bench import memory, overhead, peers
from bench.check import WrongResultError, arrays, check, same
from bench.environment import environment, other_work
from bench.grid import DISJOINT, OVERLAP, THREADS, Case, Row, Upsample, full_rows, short_rows
from bench.limit import streaming
from bench.measure import EFFORT, IN_PLACE_CALLS, best_times, times_in_place
from bench.problems import Problem, Result, build
from bench.results import REGIMES, Regime, Report, RowResult

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
    regimes: Sequence[Regime] = tuple(REGIMES)

    @property
    def labels(self) -> list[str]:
        return [
            *(row.label for row in self.rows),
            *(f"overhead {case.label}" for case in self.overhead),
            *(f"memory {case.label}" for case in self.memory),
        ]


def _has_words(label: str, words: str) -> bool:
    """Whole words, as a reader sees them: float16 is not in bfloat16, x2 not in x2.7, but nearest3d in its operator."""
    edge = "[A-Za-z0-9.]"
    return all(re.search(f"(?<!{edge}){re.escape(word)}(?!{edge})", label) for word in words.split())


def select(full: bool, words: str, regimes: Sequence[Regime] = tuple(REGIMES), every: int = 1) -> Selection:
    """Only every `every`th row, if that is more than 1. Tiny calls and memory are measured quiet."""
    quiet = "quiet" in regimes
    return Selection(
        [row for row in (full_rows() if full else short_rows()) if _has_words(row.label, words)][::every],
        [case for case in overhead.CASES if quiet and _has_words(f"overhead {case.label}", words)],
        [
            case
            for case in (memory.CASES if full else memory.SHORT_CASES)
            if quiet and _has_words(f"memory {case.label}", words)
        ],
        regimes,
    )


def measure(
    selection: Selection, known: Sequence[RowResult] = (), save: Callable[[Report], None] | None = None
) -> Report:
    """Measures what is not known yet of the rows, and hands the report to `save` after each of them."""
    found = {result.row.label: result for result in known}
    regimes = [regime for regime in selection.regimes if regime == "quiet" or peers.installed("torch")]
    lacking = {row.label: found.get(row.label, RowResult(row, {})).lacks(regimes) for row in selection.rows}
    missing = [row for row in selection.rows if lacking[row.label]]
    report = Report(environment(), [result for result in known if not lacking.get(result.row.label)])
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
                seconds = measure_row(row, problem, expected, lacking[row.label])
                earlier = found[row.label].seconds if row.label in found else {}
                _add_row(report, RowResult(row, {**earlier, **seconds}))
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
    quiet = [f"{ratio:.1f}x" for ratio in result.ratios("quiet")]
    place = [f"{ratio:.1f}x in place" for ratio in result.ratios("in-place")]
    limit = [f"{result.percent:.0f} % of the limit"] if result.percent is not None else []
    _tell(", ".join((*quiet, *place, *limit, result.verdict)))


def checked_result(problem: Problem) -> Result:
    result: Result = peers.ours(problem).allocate()
    check(problem, result)
    return result


def measure_row(row: Row, problem: Problem, expected: Result, regimes: Sequence[Regime]) -> dict[str, float]:
    """Compares the results with the expected one, then times everybody in turns."""
    seconds: dict[str, float] = {}
    with _threads(row.threads):
        if "quiet" in regimes:
            seconds |= best_times(_quiet_competitors(row, problem, expected), EFFORT[row.case.size])
        if "in-place" in regimes:
            competitors = {
                "in_place": peers.ours_on_tensors(problem).allocate,
                "torch_in_place": peers.pytorch(problem).allocate,
            }
            if not same(peers.torch_result(competitors["in_place"]()), _as_pytorch_shows(expected)):
                raise WrongResultError(f"tensors on {row.threads} threads: other values than the first, checked result")
            seconds |= times_in_place(competitors, IN_PLACE_CALLS[row.case.size])
    return seconds


def _as_pytorch_shows(result: Result) -> Result:
    """NumPy has no bfloat16 of its own, so results of tensors come back as float32."""
    widened = tuple(array.astype("float32") if array.dtype.name == "bfloat16" else array for array in arrays(result))
    return (widened[0], widened[1]) if len(widened) == 2 else widened[0]


def _quiet_competitors(row: Row, problem: Problem, expected: Result) -> dict[str, peers.Call]:
    out = problem.new_result()
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
    return competitors


def _wants_other_libraries(row: Row) -> bool:
    """A few rows: NumPy and JAX take long, and JAX always uses all cores."""
    case = row.case
    if row.threads != THREADS[-1] or case.size != "medium" or case.dtype != "float32":
        return False
    if peers.only_pytorch(case):
        return False
    if isinstance(case, Upsample):
        return case.layout == "contiguous" and case.factor in (2.0, 1.5)
    usual = (case.planes, case.indices, case.index_dtype) == ("many planes", "pooling", "int64")
    return usual and case.window in (DISJOINT, OVERLAP)


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
