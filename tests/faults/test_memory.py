"""Every request for memory or a thread that acltwin makes itself fails once, through each door: an error that says so,
or none at all; nothing leaked, nothing half done, and the next call works."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
DOORS = ["array", "array_misaligned", "array_large", "pooling", "acl", "torch", "jax", "dask"]


@pytest.fixture(scope="session")
def failing_memory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("faults") / "failing_memory.so"
    compiler = os.environ.get("CXX", "g++")
    words = [compiler, "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-o", str(library)]
    subprocess.run([*words, str(HERE / "failing_memory.cpp"), "-ldl", "-pthread"], check=True)
    return library


@pytest.mark.parametrize("door", DOORS)
def test_every_request_may_fail(failing_memory: Path, door: str) -> None:
    environment = {**os.environ, "LD_PRELOAD": str(failing_memory)}
    words = [sys.executable, str(HERE / "doors.py"), door]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "requests failed" in done.stdout
