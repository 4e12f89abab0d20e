"""What golden cases cost: runs of each level, 1,000 cases with their memory, a set on disk, judging a large result.

    python benchmarks/golden_costs.py [levels] [cases] [set] [judging]

Prints the figures of docs/development/golden-costs.md, or of the parts that are named. The kernels are the library's
own functions, so what is measured is all that is around them: making the data, calling in a child process, judging.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import acltwin
from acltwin import golden
from acltwin.golden.cases.dtypes import facts
from acltwin.golden.cases.family import Level
from acltwin.ops import OPERATORS

OPERATOR = "upsample_nearest3d_backward"
CASES = 1000
JOBS = 2
KERNELS = f"""
import acltwin
right = acltwin.{OPERATOR}
def wrong(grad_out, output_size, input_size, *scales, **options):
    return acltwin.upsample_nearest_exact3d_backward(grad_out, output_size, input_size, *scales, **options)
"""
PAUSE = 0.02  # seconds between two looks at the memory


def main() -> None:
    parts = {"levels": _levels, "cases": _many_cases, "set": _set, "judging": _judgements}
    for name in sys.argv[1:] or parts:
        with tempfile.TemporaryDirectory() as place:
            parts[name](place)


def _levels(place: str) -> None:
    levels: tuple[Level, ...] = ("quick", "default")
    for level in levels:
        runs = {name: _level(name, level) for name in OPERATORS}
        count, seconds, work = (sum(part) for part in zip(*runs.values(), strict=True))
        slowest = max(runs, key=lambda name: runs[name][2])
        usual = statistics.median(run[2] for run in runs.values())
        print(
            f"{level}: {count} cases of {len(runs)} operators in {seconds:.1f} s, {work:.1f} s of one core; "
            f"an operator {usual:.2f} s of one core (median), the slowest, {slowest}, {runs[slowest][2]:.2f} s"
        )


def _level(operator: str, level: Level) -> tuple[int, float, float]:
    """The number of cases, the time that they took, and that of all processors, which others on them change less."""
    start, before = time.perf_counter(), _processor_seconds()
    run = golden.verify(getattr(acltwin, operator), operator, level=level, jobs=JOBS)
    assert run.passed, run.text()
    return len(run.records), time.perf_counter() - start, _processor_seconds() - before


def _processor_seconds() -> float:
    """Of this process and of its children that have ended."""
    return sum(os.times()[:4])


def _many_cases(place: str) -> None:
    Path(place, "kernels.py").write_text(KERNELS)
    chosen = golden.cases(OPERATOR, level="full", dtypes=("float32", "float16"))[:CASES]
    options = ["--level", "full", "--dtype", "float32", "--dtype", "float16", "--jobs", str(JOBS)]
    only = [word for case in chosen for word in ("--only", case.name)]
    for kernel in ("right", "wrong"):
        words = ["verify", f"kernels.py:{kernel}", OPERATOR, *options, *only, "--report", "report.html"]
        seconds, memory = _measured(words, place)
        run = golden.Run.load(Path(place, ".acltwin", "run.json"))
        counts = ", ".join(f"{number} {status}" for status, number in sorted(run.counts.items()))
        size = Path(place, "report.html").stat().st_size
        print(
            f"{len(run.records)} cases ({counts}): {seconds:.1f} s, {run.seconds:.1f} s of them to call and judge; "
            f"{memory / 2**20:.0f} MiB in all processes; report {size / 1e6:.2f} MB"
        )


def _set(place: str) -> None:
    seconds, _ = _measured(["golden", "all", "-o", "set"], place)
    size = sum(file.stat().st_size for file in Path(place, "set").rglob("*") if file.is_file())
    print(f"a set of all default cases: {size / 1e6:.0f} MB, written in {seconds:.1f} s")


def _judgements(place: str) -> None:
    for dtype in ("float32", "float16", "bfloat16"):
        judged, twin = _judging(dtype)
        print(
            f"judging a million cells, {dtype}: {1e3 * (judged - twin):.0f} ms beside {1e3 * twin:.0f} ms in the twin"
        )


def _judging(dtype: str) -> tuple[float, float]:
    """The best of some: judging a right result, and the three calls of the twin that it needs."""
    values = np.random.default_rng(0).standard_normal((1, 8, 50, 52, 52)).astype(facts(dtype).dtype)
    sizes = {"output_size": (50, 52, 52), "input_size": (1, 8, 50, 50, 50)}
    case = golden.Case.of(OPERATOR, {"grad_out": values}, sizes)
    result, wide = acltwin.upsample_nearest3d_backward(values, *sizes.values()), values.astype(np.float64)
    assert case.judge(result).passed
    twin = _best(lambda: acltwin.upsample_nearest3d_backward(wide, *sizes.values()))
    return _best(lambda: case.judge(result)), 3 * twin


def _best(function: Callable[[], object]) -> float:
    times = []
    for _ in range(10):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def _measured(words: list[str], place: str) -> tuple[float, int]:
    """Seconds, and the most memory that a command and its children held at one time, shared pages counted once."""
    start, most = time.perf_counter(), 0
    command = [sys.executable, "-m", "acltwin", *words]
    with subprocess.Popen(command, cwd=place, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            most = max(most, sum(map(_proportional, _family(process.pid))))
            time.sleep(PAUSE)
    return time.perf_counter() - start, most


def _family(parent: int) -> list[int]:
    try:
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    except OSError:  # it has ended
        return []
    return [parent, *(member for child in children for member in _family(int(child)))]


def _proportional(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))


if __name__ == "__main__":
    main()
