"""Times that can be compared on a machine where other things run: competitors take turns.

*Quiet*: each competitor's calls in a row, after a rest, and the best turn counts. *In place*: single calls, each right
behind an operator of PyTorch's on all of its threads, as in a training step, and the median counts.
"""

from __future__ import annotations

import gc
import importlib
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

Clock = Callable[[], float]

LOOK_SECONDS = 0.005  # how long to look whether threads are busy; the system counts their time in steps of up to 4 ms
SHORTEST_TIMED = 0.0002  # calls shorter than this are timed several at once


@dataclass(frozen=True)
class Effort:
    rounds: int
    turns_in_a_row: int  # timed calls per round, after `warm_up` untimed ones
    warm_up: int = 1


def effort_for(seconds: float) -> Effort:
    """How often to call what takes so long: a row should not take much longer than a second."""
    if seconds < 0.002:
        return Effort(rounds=7, turns_in_a_row=6)
    return Effort(rounds=5, turns_in_a_row=2) if seconds < 0.02 else Effort(rounds=4, turns_in_a_row=1, warm_up=0)


def best_times(
    competitors: Mapping[str, Callable[[], Any]],
    effort: Effort | None = None,
    repeat: int = 1,
    clock: Clock = time.perf_counter,
) -> dict[str, float]:
    """Seconds per call of each competitor: the minimum over all rounds, every competitor once per round.

    The time of this thread, `time.thread_time`, needs no rest: other threads do not count.
    """
    shortest = {name: _shortest(call, clock) for name, call in competitors.items()}
    counts = {name: max(1, round(SHORTEST_TIMED / seconds)) for name, seconds in shortest.items()}
    effort = effort or effort_for(max(shortest.values()))
    best = dict.fromkeys(competitors, float("inf"))
    with _without_collector():
        for _ in range(effort.rounds * repeat):
            for name, call in competitors.items():
                if clock is not time.thread_time:
                    wait_until_idle()
                for _ in range(effort.warm_up):
                    call()
                for _ in range(effort.turns_in_a_row):
                    best[name] = min(best[name], _seconds(call, counts[name], clock))
    return best


BEFORE_BYTES = 9 << 20


def times_in_place(
    competitors: Mapping[str, Callable[[], Any]],
    calls: int | None = None,
    repeat: int = 1,
    clock: Clock = time.perf_counter,
) -> dict[str, float]:
    """Seconds per call of each competitor: the median of single calls, every competitor once per round."""
    torch = importlib.import_module("torch")
    values = torch.randn(BEFORE_BYTES // 4)
    times: dict[str, list[float]] = {name: [] for name in competitors}
    if calls is None:
        longest = max(_shortest(call, clock) for call in competitors.values())
        calls = 25 if longest < 0.002 else 15 if longest < 0.02 else 7
    with _without_collector():
        for number in range(-2, calls * repeat):
            for name, call in competitors.items():
                torch.relu(values)
                seconds = _seconds(call, 1, clock)
                if number >= 0:  # the first calls of all pay for first touches
                    times[name].append(seconds)
    return {name: median(found) for name, found in times.items()}


def wait_until_idle() -> None:
    """PyTorch's worker threads keep their cores busy for about ten milliseconds after a call, waiting for the next."""
    give_up = time.monotonic() + 100 * LOOK_SECONDS
    busy = True
    while busy and time.monotonic() < give_up:
        used = time.process_time()
        time.sleep(LOOK_SECONDS)
        busy = time.process_time() - used > LOOK_SECONDS / 5


def _seconds(call: Callable[[], Any], count: int, clock: Clock) -> float:
    # The result dies inside the timed part: freeing it is a cost of having allocated it.
    start = clock()
    for _ in range(count):
        call()
    return (clock() - start) / count


def _shortest(call: Callable[[], Any], clock: Clock) -> float:
    call()  # the first call of all pays for compiling, first touches, sleeping threads
    shortest = _seconds(call, 1, clock)
    if shortest < 100 * SHORTEST_TIMED:  # perhaps a short call that was interrupted
        shortest = min(shortest, *(_seconds(call, 1, clock) for _ in range(5)))
    return shortest


@contextmanager
def _without_collector() -> Iterator[None]:
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
