"""Every request for memory or a thread that acltwin makes fails once, through each door, and every one of Python's in a
call: an error that says so, or none at all; nothing leaked, nothing half done, and the next call works."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PYTHON_CALLS = ["array", "new_array", "misaligned", "refused", "pooling", "through_c"]
DOORS = ["array", "array_misaligned", "array_large", "pooling", "acl", "torch", "jax", "dask"]


@pytest.fixture(scope="session")
def failing_memory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("faults") / "failing_memory.so"
    compiler = os.environ.get("CXX", "g++")
    words = [compiler, "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-o", str(library)]
    subprocess.run([*words, str(HERE / "failing_memory.cpp"), "-ldl", "-pthread"], check=True)
    return library


def run_without_memory(program: str, library: Path, word: str) -> None:
    environment = {**os.environ, "LD_PRELOAD": str(library)}
    words = [sys.executable, str(HERE / program), word]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "requests failed" in done.stdout


@pytest.mark.parametrize("door", DOORS)
def test_every_request_may_fail(failing_memory: Path, door: str) -> None:
    run_without_memory("doors.py", failing_memory, door)


@pytest.mark.skipif(find_spec("_testcapi") is None, reason="this Python cannot fail its own requests (_testcapi)")
@pytest.mark.parametrize("call", PYTHON_CALLS)
def test_every_request_of_python_may_fail(failing_memory: Path, call: str) -> None:
    run_without_memory("python_doors.py", failing_memory, call)
