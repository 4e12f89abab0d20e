"""Peak memory of one call on top of its tensors, as the operating system sees it.

Each figure comes from a process of its own, so that nothing an earlier call left behind hides a need:
`python -m bench.memory <library> <number of the case>` prints the bytes.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from acltwin.ops import OpSpec
from bench.grid import DISJOINT, OVERLAP, SPECS, Case, Indexed, Upsample
from bench.peers import Call, installed, ours, pytorch
from bench.problems import build
from bench.results import MemoryResult


def _short_case(spec: OpSpec) -> Case:
    """In 16 bits, where sums need more than the result has room for."""
    if spec.family == "upsample":
        return Upsample(spec.name, "bfloat16", "large", 2.0)
    return Indexed(spec.name, "bfloat16", "large", OVERLAP if spec.family == "pool" else DISJOINT)


def _cases(spec: OpSpec) -> Iterator[Case]:
    yield _short_case(spec)
    if not spec.is_gradient:
        return
    if spec.family == "upsample":
        yield Upsample(spec.name, "float32", "large", 2.0)
        yield Upsample(spec.name, "bfloat16", "large", 2.7)
        yield Upsample(spec.name, "bfloat16", "large", 2.0, "channels-last", 32)
        yield Upsample(spec.name, "bfloat16", "large", 2.0, "permuted H/W")
        return
    yield Indexed(spec.name, "float32", "large", DISJOINT)
    if spec.family == "pool":
        yield Indexed(spec.name, "float32", "large", OVERLAP)
        yield Indexed(spec.name, "bfloat16", "large", DISJOINT)
        yield Indexed(spec.name, "bfloat16", "large", OVERLAP, planes="one plane")
        yield Indexed(spec.name, "bfloat16", "large", OVERLAP, indices="random")


SHORT_CASES: tuple[Case, ...] = tuple(map(_short_case, SPECS))
CASES: tuple[Case, ...] = tuple(case for spec in SPECS for case in _cases(spec))
LIBRARIES = {"acltwin": ours, "torch": pytorch}
STATUS = Path("/proc/self/status")
RESET_PEAK = Path("/proc/self/clear_refs")


def measurable() -> bool:
    return STATUS.exists() and RESET_PEAK.exists()


def measure_memory(case: Case) -> MemoryResult:
    problem = build(case)
    tensors = sum(tensor.nbytes for tensor in problem.tensors) + problem.bytes_written
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
    _first_call(library, replace(case, size="medium"))()  # loads the library and starts its threads
    print(peak_of(_first_call(library, case)))


if __name__ == "__main__":
    main()
