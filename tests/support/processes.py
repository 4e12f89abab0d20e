"""Python in a process of its own, for what is decided once per process or ends one."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
LEVELS = ("x86-64-v2", "x86-64-v3", "baseline")


def environment_for(changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's variables with changes, and the tests' helpers on the path."""
    folders = (str(TESTS.parent / "benchmarks"), str(TESTS), os.environ.get("PYTHONPATH", ""))
    path = os.pathsep.join(filter(None, folders))
    return {**os.environ, "PYTHONPATH": path, **(changes or {})}


def run_python(
    code: str, environment: Mapping[str, str] | None = None, timeout: float = 300
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        env=environment_for(environment),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def output_of(code: str, environment: Mapping[str, str] | None = None, timeout: float = 300) -> str:
    done = run_python(code, environment, timeout)
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@functools.cache
def instruction_set_levels() -> tuple[str, ...]:
    """Those that this machine can run: the library refuses the others."""
    code = "import acltwin._core as core; print(core.instruction_set())"
    runs = {level: run_python(code, {"ACLTWIN_ISA": level}) for level in LEVELS}
    usable = tuple(level for level, done in runs.items() if done.returncode == 0)
    for level in usable:
        assert runs[level].stdout.strip() == level
    assert usable, runs
    return usable
