"""What the tests cost, tier by tier: CPU seconds of the tests and the processes they start, printed behind a run.

Wall time says nothing on a machine that does other things, so nothing fails for being slow. A tier that has outgrown
its budget is named, for whoever made it grow. ``contract`` is paid for every operator; the others for a kernel, a
family, or once: they must not grow with the number of operators.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Generator
from typing import Any

import pytest

from acltwin.ops import OPERATORS
from support import preloaded

TIERS = {
    "contract": ("tests/acl", "tests/arrays", "tests/dask_arrays", "tests/ops", "tests/reference", "tests/test_rules"),
    "kernels": ("tests/sweeps", "tests/determinism"),
    "frameworks": ("tests/pytorch", "tests/jax_arrays"),
    "golden": ("tests/golden",),
    "hostile": ("tests/check", "tests/concurrency", "tests/cpp", "tests/faults", "tests/robustness", "tests/sdk"),
    "documentation": ("README", "docs", "tests/docs"),
    "tools": ("tests/bench", "tests/native", "tests/test_"),
}
BUDGETS = {
    "contract": 3 * len(OPERATORS) // 2,
    "kernels": 65,
    "frameworks": 185,
    "golden": 170,
    "hostile": 115,
    "documentation": 60,
    "tools": 20,
}
# Files of more than LONG CPU seconds are begun first: a worker that began one of them last would end alone. A whole run
# says which of them it misses here.
LONG = 8
LONGEST = (
    "tests/jax_arrays/test_many_devices.py",
    "tests/determinism/test_same_bits.py",
    "tests/jax_arrays/test_gradients.py",
    "tests/check/test_gallery.py",
    "tests/golden/test_processes.py",
    "tests/golden/test_commands.py",
    "tests/golden/test_library.py",
    "tests/golden/test_mutants.py",
    "tests/pytorch/test_threads.py",
    "tests/pytorch/test_drop_in.py",
    "tests/golden/test_explain.py",
    "tests/cpp/test_programs.py",
    "tests/docs/test_search.py",
    "tests/pytorch/test_switching.py",
    "tests/golden/test_guards.py",
    "tests/jax_arrays/test_channels_last.py",
    "tests/jax_arrays/test_vmap.py",
    "tests/determinism/test_summation_order.py",
    "tests/sweeps/test_forward_cells.py",
    "tests/pytorch/test_registration.py",
    "tests/native/test_new_operator.py",
    "tests/bench/test_measure.py",
    "tests/golden/test_explain_lost.py",
    "tests/golden/test_mutants_score.py",
    "tests/golden/test_testing.py",
    "docs/quickstart.md",
    "tests/concurrency/test_output_pool.py",
    "tests/pytorch/test_report.py",
)
FAR_BEYOND = 1.3  # processors differ
_CPU = "cpu_seconds"


def tier_of(path: str) -> str:
    """The tier of a test, by where it is."""
    return next(tier for tier, places in TIERS.items() if path.startswith(places))


def longest_first(items: list[pytest.Item]) -> None:
    """In the order of LONGEST, then the others as they are; pytest-xdist begins files in this order if told so."""
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.nodeid.partition("::")[0], len(LONGEST)))


def _cpu() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system + preloaded.cpu_seconds[0]


class Meter:
    """Measures every test where it runs, and adds up where the run is reported."""

    def __init__(self) -> None:
        self._begin = 0.0
        self._seconds: dict[str, float] = defaultdict(float)
        self._files: dict[str, float] = defaultdict(float)
        self._tests: dict[str, int] = defaultdict(int)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self) -> Generator[None, Any, Any]:
        self._begin = _cpu()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        report = yield
        if call.when == "teardown":
            report.user_properties = [*report.user_properties, (_CPU, _cpu() - self._begin)]
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if name == _CPU and report.when == "teardown":
                tier = tier_of(report.nodeid)
                self._seconds[tier] += float(str(value))
                self._files[report.nodeid.partition("::")[0]] += float(str(value))
                self._tests[tier] += 1

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if sum(self._seconds.values()) < 60:  # a part of the tests
            return
        terminalreporter.section("CPU seconds of the tests, by tier")
        for tier, budget in BUDGETS.items():
            seconds = self._seconds[tier]
            note = "  beyond its budget: tests/support/budget.py" if seconds > FAR_BEYOND * budget else ""
            terminalreporter.write_line(f"{tier:14}{self._tests[tier]:6} tests{seconds:7.0f} of {budget}{note}")
        for file, seconds in sorted(self._files.items()):
            if seconds > LONG * FAR_BEYOND and file not in LONGEST:
                terminalreporter.write_line(f"{file}: {seconds:.0f} CPU seconds, and is not in LONGEST: {__name__}")
