"""One run: every chosen row, then the cost of tiny calls, then memory."""

from __future__ import annotations

import importlib
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from bench import memory, onednn, overhead, peers
from bench.cases import OPERATORS, Case, Row
from bench.check import WrongResultError, arrays, check, same
from bench.environment import environment, other_work
from bench.grid import grid_rows
from bench.measure import Clock, best_times, times_in_place
from bench.problems import Problem, Result, build
from bench.results import REGIMES, Regime, Report, RowResult
from bench.sample import sample_rows

AGAIN = 2  # rounds of a row that lost, times the first ones


@dataclass(frozen=True)
class Selection:
    """What a run measures: rows, tiny calls, memory; everything whose label has all words of the filter."""

    text: str
    rows: Sequence[Row]
    overhead: Sequence[Case]
    memory: Sequence[Case]
    regimes: Sequence[Regime] = tuple(REGIMES)
    peers: Sequence[str] = ()
    cpu_time: bool = False

    @property
    def labels(self) -> list[str]:
        return [
            *(row.label for row in self.rows),
            *(f"overhead {case.label}" for case in self.overhead),
            *(f"memory {case.label}" for case in self.memory),
        ]


def _has_words(label: str, words: str) -> bool:
    """Whole words, as a reader sees them: float16 is not in bfloat16, k3 not in k3x2x2; nearest3d is in operators."""
    edge = "[A-Za-z0-9.]"
    return all(re.search(f"(?<!{edge}){re.escape(word)}(?!{edge})", label) for word in words.split())


def sampled(
    count: int,
    seed: int,
    words: str = "",
    regimes: Sequence[Regime] = tuple(REGIMES),
    peers: Sequence[str] = (),
    operators: Sequence[str] = tuple(OPERATORS),
) -> Selection:
    """`count` random rows of these operators, of which those with all the words are measured."""
    rows = [row for row in sample_rows(count, seed, operators) if _has_words(row.label, words)]
    of = "" if len(operators) == len(OPERATORS) else f" of {', '.join(sorted(operators))}"
    return Selection(f"{count} rows{of} drawn at random with seed {seed}", rows, (), (), regimes, peers)


def on_one_thread(selection: Selection) -> Selection:
    """The same in the CPU time of one thread, which what else the machine does changes least."""
    rows = [Row(row.case, 1) for row in selection.rows]
    return replace(selection, text=f"{selection.text}, in CPU time of one thread", rows=rows, cpu_time=True)


def fixed(words: str = "", regimes: Sequence[Regime] = tuple(REGIMES), peers: Sequence[str] = ()) -> Selection:
    """The grid. Tiny calls and memory are measured quiet."""
    quiet = "quiet" in regimes
    return Selection(
        "The fixed rows of the grid",
        [row for row in grid_rows() if _has_words(row.label, words)],
        [case for case in overhead.CASES if quiet and _has_words(f"overhead {case.label}", words)],
        [case for case in memory.CASES if quiet and _has_words(f"memory {case.label}", words)],
        regimes,
        peers,
    )


def measure(
    selection: Selection, known: Sequence[RowResult] = (), save: Callable[[Report], None] | None = None
) -> Report:
    """Measures what is not known yet of the rows, and hands the report to `save` after each of them."""
    found = {result.row.label: result for result in known}
    regimes = [regime for regime in selection.regimes if regime == "quiet" or peers.installed("torch")]
    report = Report(environment(), selection.text)
    if warning := other_work():
        _tell(warning)
    if not peers.installed("torch"):
        _tell("torch is not installed: measured without it")
    for number, row in enumerate(selection.rows, start=1):
        earlier = found.get(row.label, RowResult(row, {}))
        lacking = earlier.lacks(regimes)
        if not lacking:
            report.rows.append(earlier)
            continue
        _tell(f"[{number}/{len(selection.rows)}] {row.label}", end=": ")
        try:
            clock = time.thread_time if selection.cpu_time else time.perf_counter
            result = RowResult(row, {**earlier.seconds, **measure_row(row, lacking, selection.peers, clock)})
            report.rows.append(result)
            _tell(", ".join(f"{ratio:.2f}x {regime}" for regime in REGIMES if (ratio := result.ratio(regime))))
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
    return report


def _tell(text: str, end: str = "\n") -> None:
    print(text, end=end, file=sys.stderr, flush=True)


def checked_result(problem: Problem) -> Result:
    result: Result = peers.ours(problem).allocate()
    check(problem, result)
    return result


def measure_row(
    row: Row, regimes: Sequence[Regime], others: Sequence[str] = (), clock: Clock = time.perf_counter
) -> dict[str, float]:
    """Checks the result, then times everybody in turns; a row that loses once more, before it is called lost."""
    problem = build(row.case)
    expected = checked_result(problem)
    seconds: dict[str, float] = {}
    with _threads(row.threads):
        for regime in regimes:
            if regime == "quiet":
                times = partial(best_times, _quiet_calls(row, problem, expected, others))
            else:
                times = partial(times_in_place, _calls_in_place(row, problem, expected))
            found = times(repeat=1, clock=clock)
            if regime in RowResult(row, found).loses:
                found = times(repeat=AGAIN, clock=clock)
            seconds |= found
    return seconds


def _quiet_calls(row: Row, problem: Problem, expected: Result, others: Sequence[str]) -> dict[str, peers.Call]:
    out = problem.new_result()
    own = peers.ours(problem)
    if own.into is None:
        raise ValueError("acltwin always takes out=")
    competitors = {"reuse": own.into(out), "allocate": own.allocate}
    for name, call in competitors.items():
        if not same(call(), expected):
            raise WrongResultError(f"{name} on {row.threads} threads: other values than the checked result")
    if peers.pytorch_computes(problem):
        torch_calls = peers.pytorch(problem)
        competitors["torch_allocate"] = torch_calls.allocate
        if torch_calls.into is not None:
            competitors["torch_reuse"] = torch_calls.into(out)
    for name in others:
        if call := _other_call(name, row.case, problem):
            competitors[name] = call
    return competitors


def _other_call(name: str, case: Case, problem: Problem) -> peers.Call | None:
    """The call of another peer, if it is installed and has such a call."""
    if name == "onednn":
        return onednn.call(case, problem) if onednn.available() else None
    library = {"inductor": "torch"}.get(name, name)
    known = peers.pytorch_computes(problem) if name == "inductor" else not peers.only_pytorch(problem)
    if not peers.installed(library) or not known:
        return None
    calls: Callable[[Problem], peers.Calls] = getattr(peers, name)
    return calls(problem).allocate


def _calls_in_place(row: Row, problem: Problem, expected: Result) -> dict[str, peers.Call]:
    competitors = {"in_place": peers.ours_on_tensors(problem).allocate}
    if peers.pytorch_computes(problem):
        competitors["torch_in_place"] = peers.pytorch(problem).allocate
    if not same(peers.torch_result(competitors["in_place"]()), _as_pytorch_shows(expected)):
        raise WrongResultError(f"tensors on {row.threads} threads: other values than the checked result")
    return competitors


def _as_pytorch_shows(result: Result) -> Result:
    """NumPy has no bfloat16 of its own, so results of tensors come back as float32."""
    widened = tuple(array.astype("float32") if array.dtype.name == "bfloat16" else array for array in arrays(result))
    return (widened[0], widened[1]) if len(widened) == 2 else widened[0]


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
