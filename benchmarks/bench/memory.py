"""Peak memory of one call on top of its tensors, as the operating system sees it.

Each figure comes from a process of its own, so that nothing an earlier call left behind hides a need:
`python -m bench.memory <library> <number of the case>` prints the bytes.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from bench.cases import Case
from bench.grid import memory_cases
from bench.peers import Call, installed, ours, pytorch
from bench.problems import build
from bench.results import MemoryResult

CASES: tuple[Case, ...] = tuple(memory_cases())
LIBRARIES = {"acltwin": ours, "torch": pytorch}
STATUS = Path("/proc/self/status")
RESET_PEAK = Path("/proc/self/clear_refs")


def measurable() -> bool:
    return STATUS.exists() and RESET_PEAK.exists()


def measure_memory(case: Case) -> MemoryResult:
    problem = build(case)
    tensors = problem.bytes
    del problem  # the child needs the room
    return MemoryResult(case.label, tensors, _in_own_process("acltwin", case), _in_own_process("torch", case))


def _in_own_process(library: str, case: Case) -> int | None:
    if not measurable() or not installed(library):
        return None
    command = [sys.executable, "-m", "bench.memory", library, str(CASES.index(case))]
    return int(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def _first_call(library: str, case: Case) -> Call:
    problem = build(case)
    into = LIBRARIES[library](problem).into
    if into is None:
        raise ValueError(f"{library} cannot write into memory that is already there")
    return into(problem.new_result())


def peak_of(call: Call) -> int:
    RESET_PEAK.write_text("5")  # the peak becomes what is resident now
    before = _kilobytes("VmRSS")
    call()
    return max(0, _kilobytes("VmHWM") - before) * 1024


def _kilobytes(name: str) -> int:
    for line in STATUS.read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1])
    raise ValueError(f"{STATUS} has no line {name}")


def main() -> None:
    library, number = sys.argv[1:]
    case = CASES[int(number)]
    _first_call(library, replace(case, batch=(1, 2)))()  # loads the library and starts its threads
    print(peak_of(_first_call(library, case)))


if __name__ == "__main__":
    main()
