"""What a run of 1,000 golden cases costs: seconds, memory of all its processes together, and the size of its report.

    python benchmarks/golden_run.py [--jobs N]

The kernel is the library's own function, so what is measured is everything around it: making the data, calling in a
child process, judging. A second run has a kernel that is wrong in most cases, for the time to explain and to report.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from acltwin import golden

OPERATOR = "upsample_nearest3d_backward"
CASES = 1000
KERNELS = f"""
import acltwin
right = acltwin.{OPERATOR}
def wrong(grad_out, output_size, input_size, *scales, **options):
    return acltwin.upsample_nearest_exact3d_backward(grad_out, output_size, input_size, *scales, **options)
"""
PAUSE = 0.02  # seconds between two looks at the memory


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=2)
    jobs = parser.parse_args().jobs
    cases = golden.cases(OPERATOR, level="full", dtypes=("float32", "float16"))[:CASES]
    with tempfile.TemporaryDirectory() as place:
        Path(place, "kernels.py").write_text(KERNELS)
        options = ["--level", "full", "--dtype", "float32", "--dtype", "float16", "--jobs", str(jobs)]
        only = [word for case in cases for word in ("--only", case.name)]
        for kernel in ("right", "wrong"):
            words = ["verify", f"kernels.py:{kernel}", OPERATOR, *options, *only, "--report", "report.html"]
            seconds, memory = measured([sys.executable, "-m", "acltwin", *words], place)
            run = golden.Run.load(Path(place, ".acltwin", "run.json"))
            size = Path(place, "report.html").stat().st_size
            counts = ", ".join(f"{number} {status}" for status, number in sorted(run.counts.items()))
            print(
                f"{kernel}: {len(run.records)} cases ({counts}) in {seconds:.1f} s, {run.seconds:.1f} s of them for "
                f"calling and judging; {memory / 2**20:.0f} MiB in all processes; report {size / 1e6:.2f} MB"
            )


def measured(command: list[str], place: str) -> tuple[float, int]:
    """Seconds, and the most memory that the process and its children held at one time, shared pages counted once."""
    start = time.perf_counter()
    with subprocess.Popen(command, cwd=place, stdout=subprocess.DEVNULL) as process:
        most = 0
        while process.poll() is None:
            most = max(most, sum(map(proportional, family(process.pid))))
            time.sleep(PAUSE)
    return time.perf_counter() - start, most


def family(parent: int) -> list[int]:
    try:
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    except OSError:  # it has ended
        return []
    return [parent, *(member for child in children for member in family(int(child)))]


def proportional(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))


if __name__ == "__main__":
    main()
